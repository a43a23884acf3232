# Reading and writing the files of fixtures/data, as FORMATS.md describes them.
# Functions only: sourcing this file loads no package and changes nothing.

data_column_type <- function(x, name) {
  kind <- class(x)[1]
  if (kind %in% c("factor", "ordered", "character", "logical", "integer", "Date")) return(kind)
  if (kind == "numeric") return("double")
  stop("column '", name, "' has class '", kind, "', which the data files do not hold; ",
       "choices: factor, ordered, character, logical, integer, double, Date", call. = FALSE)
}

data_column_spec <- function(x, name) {
  type <- data_column_type(x, name)
  spec <- list(name = enc2utf8(name), type = type)
  if (type %in% c("factor", "ordered")) {
    if (anyNA(levels(x)) && anyNA(unclass(x)))
      stop("column '", name, "' has both an NA level and NA codes; a data file cannot tell them apart",
           call. = FALSE)
    spec$levels <- lapply(levels(x), function(level) if (is.na(level)) NULL else enc2utf8(level))
  }
  if (type == "Date" && any(unclass(x) != floor(unclass(x)), na.rm = TRUE))
    stop("column '", name, "' has dates that are not whole days", call. = FALSE)
  spec
}

# Fifteen significant digits, seventeen where fifteen do not read back as the same double.
double_text <- function(x) {
  text <- sprintf("%.15g", x)
  longer <- which(is.finite(x))
  longer <- longer[as.numeric(text[longer]) != x[longer]]
  text[longer] <- sprintf("%.17g", x[longer])
  text[is.nan(x)] <- "NaN"
  text
}

data_column_text <- function(x, type) {
  text <- switch(type,
    factor = , ordered = , character = enc2utf8(as.character(x)),
    logical = ifelse(x, "TRUE", "FALSE"),
    integer = sprintf("%d", x),
    double = double_text(x),
    Date = format(x, "%Y-%m-%d"))
  if (type %in% c("factor", "ordered", "character")) {
    text <- sub("^\\\\", "\\\\\\\\", text)
    quoted <- !is.na(text) & (text == "" | grepl("[,\"\r\n]", text))
    text[quoted] <- paste0("\"", gsub("\"", "\"\"", text[quoted], fixed = TRUE), "\"")
  }
  missing <- if (type == "double") is.na(x) & !is.nan(x) else is.na(x)
  if (type %in% c("factor", "ordered")) missing <- is.na(as.character(x))
  text[missing] <- "\\N"
  text
}

quote_name <- function(name) {
  ifelse(name == "" | grepl("[,\"\r\n]", name), paste0("\"", gsub("\"", "\"\"", name, fixed = TRUE), "\""), name)
}

# R's gzfile puts neither a time nor a file name into the header, so equal text gives equal bytes.
write_gz_text <- function(text, path) {
  out <- gzfile(path, "wb", compression = 9)
  on.exit(close(out))
  writeBin(charToRaw(enc2utf8(text)), out)
}

read_gz_bytes <- function(path) {
  input <- gzfile(path, "rb")
  on.exit(close(input))
  pieces <- list()
  while (length(piece <- readBin(input, "raw", 2^22)) > 0) pieces[[length(pieces) + 1]] <- piece
  do.call(c, pieces)
}

write_frame_csv <- function(frame, path) {
  types <- mapply(data_column_type, frame, names(frame))
  text <- mapply(data_column_text, frame, types, SIMPLIFY = FALSE)
  lines <- if (nrow(frame) > 0) do.call(paste, c(unname(text), sep = ","))
  header <- paste(quote_name(enc2utf8(names(frame))), collapse = ",")
  write_gz_text(paste0(c(header, lines), "\n", collapse = ""), path)
}

# Separators outside quotes become NUL bytes; readBin() then cuts the text at them.
# This keeps carriage returns and line ends inside quoted fields as they are.
read_csv_fields <- function(bytes) {
  inside <- cumsum(bytes == as.raw(0x22)) %% 2 == 1
  separator <- (bytes == as.raw(0x2c) | bytes == as.raw(0x0a)) & !inside
  line_ends <- sum(bytes[separator] == as.raw(0x0a))
  bytes[separator] <- as.raw(0)
  fields <- readBin(bytes, "character", sum(separator))
  Encoding(fields) <- "UTF-8"
  quoted <- startsWith(fields, "\"")
  inner <- fields[quoted]
  fields[quoted] <- gsub("\"\"", "\"", substr(inner, 2, nchar(inner) - 1), fixed = TRUE)
  list(fields = fields, lines = line_ends)
}

unescape_text <- function(text) {
  missing <- text == "\\N"
  text <- sub("^\\\\\\\\", "\\\\", text)
  text[missing] <- NA_character_
  text
}

data_column_value <- function(text, spec) {
  if (spec$type %in% c("factor", "ordered")) {
    levels <- vapply(spec$levels, function(level) if (is.null(level)) NA_character_ else level, "")
    value <- unescape_text(text)
    return(structure(match(value, levels), levels = levels,
                     class = if (spec$type == "ordered") c("ordered", "factor") else "factor"))
  }
  if (spec$type == "character") return(unescape_text(text))
  text[text == "\\N"] <- NA_character_
  switch(spec$type,
    logical = as.logical(text),
    integer = as.integer(text),
    double = as.numeric(text),
    Date = as.Date(text, format = "%Y-%m-%d"))
}

read_sidecar <- function(name, dir) {
  path <- file.path(dir, paste0(name, ".json"))
  if (!file.exists(path)) stop("no data file named '", name, "' in ", dir, call. = FALSE)
  jsonlite::fromJSON(path, simplifyVector = FALSE)
}

write_json <- function(value, path) {
  text <- jsonlite::toJSON(value, auto_unbox = TRUE, pretty = TRUE, null = "null", digits = NA)
  out <- file(path, "wb")
  on.exit(close(out))
  writeBin(charToRaw(paste0(enc2utf8(text), "\n")), out)
}

write_data_file <- function(frame, name, dir) {
  columns <- unname(Map(data_column_spec, frame, names(frame)))
  csv <- paste0(name, ".csv.gz")
  write_frame_csv(frame, file.path(dir, csv))
  write_json(list(name = name, rows = nrow(frame), columns = columns),
             file.path(dir, paste0(name, ".json")))
  invisible(c(csv, paste0(name, ".json")))
}

# One csv.gz for each set (m > 1) and one sidecar, which also keeps cont.na, n and k of the object.
write_synthesis <- function(object, name, dir) {
  sets <- if (object$m == 1) list(object$syn) else object$syn
  columns <- lapply(sets, function(set) unname(Map(data_column_spec, set, names(set))))
  if (length(unique(columns)) > 1)
    stop("the sets of synthesis '", name, "' differ in their types or levels", call. = FALSE)
  csv <- if (object$m == 1) paste0(name, ".csv.gz") else sprintf("%s.%d.csv.gz", name, seq_along(sets))
  Map(write_frame_csv, sets, file.path(dir, csv))
  cont_na <- lapply(object$cont.na, function(value) as.list(unique(value[!is.na(value)])))
  cont_na <- cont_na[lengths(cont_na) > 0]
  write_json(list(name = name, rows = nrow(sets[[1]]), m = object$m, n = object$n, k = object$k,
                  cont_na = if (length(cont_na)) cont_na else structure(list(), names = character(0)),
                  columns = columns[[1]]),
             file.path(dir, paste0(name, ".json")))
  invisible(c(csv, paste0(name, ".json")))
}

# `set` chooses one set of a synthesis; a data set or a synthesis with m = 1 needs none.
read_data_file <- function(name, dir, set = NULL) {
  sidecar <- read_sidecar(name, dir)
  m <- if (is.null(sidecar$m)) 1 else sidecar$m
  if (is.null(set) && m > 1)
    stop("set: '", name, "' has ", m, " sets, so one of 1 to ", m, " is needed", call. = FALSE)
  if (!is.null(set) && !(set %in% seq_len(m)))
    stop("set: ", set, " is not one of the sets of '", name, "', 1 to ", m, call. = FALSE)
  csv <- if (m > 1) sprintf("%s.%d.csv.gz", name, as.integer(set)) else paste0(name, ".csv.gz")
  parsed <- read_csv_fields(read_gz_bytes(file.path(dir, csv)))
  labels <- vapply(sidecar$columns, function(spec) spec$name, "")
  if (parsed$lines != sidecar$rows + 1 || length(parsed$fields) != parsed$lines * length(labels))
    stop(csv, " does not have ", sidecar$rows, " rows of ", length(labels), " fields", call. = FALSE)
  cells <- matrix(parsed$fields, nrow = length(labels))
  if (!identical(cells[, 1], labels)) stop(csv, " and its sidecar name different columns", call. = FALSE)
  columns <- lapply(seq_along(labels), function(j) data_column_value(cells[j, -1], sidecar$columns[[j]]))
  structure(columns, names = labels, class = "data.frame", row.names = .set_row_names(sidecar$rows))
}

read_synthesis <- function(name, dir) {
  sidecar <- read_sidecar(name, dir)
  if (is.null(sidecar$m)) stop("'", name, "' is a data set, not a synthesis", call. = FALSE)
  sets <- lapply(seq_len(sidecar$m), function(set) read_data_file(name, dir, set))
  cont_na <- lapply(sets[[1]], function(column) NA)
  for (column in names(sidecar$cont_na)) {
    values <- unlist(sidecar$cont_na[[column]])
    # syn() keeps the user's numbers, which are doubles, and JSON does not tell -8 from -8L.
    cont_na[[column]] <- if (is.numeric(values)) as.numeric(values) else values
  }
  structure(list(syn = if (sidecar$m == 1) sets[[1]] else sets, m = as.numeric(sidecar$m), cont.na = cont_na,
                 n = sidecar$n, k = sidecar$k), class = "synds")
}

sha256 <- function(path) {
  if (exists("sha256sum", envir = asNamespace("tools"), inherits = FALSE))
    return(unname(get("sha256sum", envir = asNamespace("tools"))(path)))
  tool <- Sys.which(c("sha256sum", "shasum"))
  if (all(tool == "")) stop("neither sha256sum nor shasum is on this machine", call. = FALSE)
  line <- if (tool[1] != "") system2(tool[1], shQuote(path), stdout = TRUE)
          else system2(tool[2], c("-a", "256", shQuote(path)), stdout = TRUE)
  substr(line, 1, 64)
}

read_manifest <- function(dir) {
  path <- file.path(dir, "manifest.json")
  if (file.exists(path)) jsonlite::fromJSON(path, simplifyVector = FALSE) else structure(list(), names = character(0))
}

# Adds or replaces one entry; entries stay in alphabetical order whatever the order of making.
write_manifest_entry <- function(entry, name, files, dir) {
  entry$files <- lapply(stats::setNames(files, files), function(file)
    list(sha256 = sha256(file.path(dir, file)), bytes = file.size(file.path(dir, file))))
  manifest <- read_manifest(dir)
  manifest[[name]] <- entry
  write_json(manifest[order(names(manifest), method = "radix")], file.path(dir, "manifest.json"))
}

package_versions <- function(packages) {
  versions <- lapply(packages, function(package) utils::packageDescription(package)$Version)
  c(list(R = paste(R.version$major, R.version$minor, sep = ".")), stats::setNames(versions, packages))
}
