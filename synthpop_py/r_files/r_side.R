# The R side of through_r.py: saved R objects to JSON and back. Base R and jsonlite; nothing is left in the user's workspace.
# What a value looks like as JSON is what the classes of descriptions.py say; factors and texts come as `levels` and `codes`
# (places from 1, null is NA).

json_texts <- function(x) as.character(jsonlite::toJSON(enc2utf8(as.character(x)), na = "null"))
json_text <- function(x) substring(out <- json_texts(x), 2, nchar(out) - 1)

json_numbers <- function(x) {
  text <- sprintf("%.17g", as.double(x))
  text[is.na(x)] <- "null"
  text[is.nan(x)] <- "\"NaN\""
  infinite <- is.infinite(x)
  text[infinite] <- ifelse(x[infinite] > 0, "\"Inf\"", "\"-Inf\"")
  paste0("[", paste(text, collapse = ","), "]")
}

json_object <- function(parts) {
  if (!length(parts)) return("{}")
  paste0("{", paste0(vapply(names(parts), json_text, ""), ":", unlist(parts), collapse = ","), "}")
}

json_array <- function(parts) paste0("[", paste(unlist(parts), collapse = ","), "]")

# What can be read, or the name of what cannot.
kind_of <- function(x) {
  if (isS4(x)) return("S4")
  if (is.ordered(x)) return("ordered")
  if (is.factor(x)) return("factor")
  if (inherits(x, "Date")) return("Date")
  if (inherits(x, "POSIXct")) return("POSIXct")
  foreign <- c("difftime", "POSIXlt", "integer64")
  if (inherits(x, foreign)) return(intersect(class(x), foreign)[1])
  typeof(x)
}

VECTORS <- c("factor", "ordered", "character", "logical", "integer", "double", "Date", "POSIXct")

vector_parts <- function(x) {
  kind <- kind_of(x)
  parts <- list(type = json_text(kind))
  if (kind %in% c("factor", "ordered")) {
    parts$levels <- json_texts(levels(x))
    parts$codes <- json_numbers(as.integer(x))
  } else if (kind == "character") {
    texts <- unique(x[!is.na(x)])
    parts$levels <- json_texts(texts)
    parts$codes <- json_numbers(match(x, texts))
  } else if (kind %in% VECTORS) {
    parts$values <- json_numbers(as.numeric(x))
  }
  parts
}

column_json <- function(x, name) {
  parts <- if (length(dim(x)) > 1) list(type = json_text("matrix")) else vector_parts(x)
  json_object(c(list(name = json_text(name)), parts))
}

frame_json <- function(frame) {
  columns <- Map(column_json, as.list(frame), names(frame))
  json_object(list(type = json_text("frame"), rows = format(nrow(frame), scientific = FALSE), columns = json_array(columns)))
}

vector_json <- function(x) {
  parts <- vector_parts(x)
  if (!is.null(names(x))) parts$names <- json_texts(names(x))
  if (length(dim(x)) > 1) parts$dim <- json_numbers(dim(x))
  json_object(parts)
}

list_json <- function(x) {
  parts <- list(type = json_text("list"), values = json_array(lapply(unname(unclass(x)), value_json)))
  if (!is.null(names(x))) parts$names <- json_texts(names(x))
  json_object(parts)
}

special_values <- function(x) {
  # a stratified synthesis has a matrix of lists, one row a stratum; disclosure() goes by the first
  if (length(dim(x)) == 2) x <- setNames(x[1, ], colnames(x))
  x <- Filter(function(v) is.numeric(v) && any(!is.na(v)), as.list(x))
  lapply(x, function(v) json_numbers(unique(v[!is.na(v)])))
}

synds_json <- function(x) {
  x <- unclass(x)
  sets <- if (is.data.frame(x$syn)) list(x$syn) else as.list(x$syn)
  meta <- list()
  for (field in c("n", "k")) {
    value <- x[[field]]
    if (is.numeric(value) && length(value) == 1 && is.finite(value)) meta[[field]] <- sprintf("%.17g", value)
  }
  json_object(list(type = json_text("synds"), sets = json_array(lapply(unname(sets), value_json)),
    cont_na = json_object(special_values(x$cont.na)), meta = json_object(meta)))
}

value_json <- function(x) {
  kind <- kind_of(x)
  if (is.null(x)) json_object(list(type = json_text("NULL")))
  else if (kind != "S4" && inherits(x, "synds") && is.list(x)) synds_json(x)
  else if (kind != "S4" && is.data.frame(x)) frame_json(x)
  else if (kind %in% VECTORS) vector_json(x)
  else if (kind == "list" && is.null(dim(x))) list_json(x)
  else json_object(list(type = json_text("other"), class = json_text(class(x)[1])))
}

# The objects of a file, in its order; a single one from saveRDS() has no name.
saved_objects <- function(path) {
  inside <- new.env()
  read <- list(rds = function() list(readRDS(path)), rda = function() { names <- load(path, inside); mget(names, inside) })
  if (!grepl("\\.rds$", path, ignore.case = TRUE)) read <- rev(read)
  tryCatch(suppressWarnings(read[[1]]()), error = function(e) suppressWarnings(read[[2]]()))
}

answer <- function(path, text) writeLines(enc2utf8(text), path, useBytes = TRUE)
problem <- function(kind, ...) json_object(list(problem = json_text(kind), ...))

guarded <- function(out, expr) {
  if (!requireNamespace("jsonlite", quietly = TRUE)) return(answer(out, "{\"problem\":\"jsonlite\"}"))
  answer(out, tryCatch(expr, error = function(e) problem("error", message = json_text(conditionMessage(e)))))
}

# Everything in the file as JSON in the file `out`.
describe_saved <- function(path, out) guarded(out, {
  objects <- saved_objects(path)
  parts <- list(values = json_array(lapply(unname(objects), value_json)))
  if (!is.null(names(objects))) parts$names <- json_texts(names(objects))
  json_object(parts)
})

column_value <- function(spec) {
  if (spec$type %in% c("factor", "ordered", "character")) {
    levels <- vapply(spec$levels, identity, "")
    codes <- as.integer(spec$codes)
    if (spec$type == "character") return(levels[codes])
    return(structure(codes, levels = levels, class = c(if (spec$type == "ordered") "ordered", "factor")))
  }
  values <- as.numeric(unlist(spec$values))
  switch(spec$type, logical = as.logical(values), integer = as.integer(values), double = values,
    Date = structure(values, class = "Date"), POSIXct = structure(values, class = c("POSIXct", "POSIXt"), tzone = "UTC"))
}

# Numbers are read as vectors; texts one by one, because jsonlite takes the text "NA" in a vector for NA.
read_column_lines <- function(lines) {
  spec <- jsonlite::fromJSON(lines[1], simplifyVector = FALSE)
  spec[[if (is.null(spec$levels)) "values" else "codes"]] <- jsonlite::fromJSON(lines[2])
  spec
}

# The request is a line about the synthesis, then for each set its columns, two lines each: what it is, and its numbers.
write_saved <- function(request, path, out) guarded(out, {
  lines <- readLines(request, encoding = "UTF-8", warn = FALSE)
  about <- jsonlite::fromJSON(lines[1], simplifyVector = FALSE)
  columns <- lapply(seq(2, length(lines), by = 2), function(i) read_column_lines(lines[i:(i + 1)]))
  labels <- vapply(columns[seq_len(about$columns)], function(spec) spec$name, "")
  frames <- lapply(seq_len(about$m), function(set) {
    own <- columns[(set - 1) * about$columns + seq_len(about$columns)]
    structure(lapply(own, column_value), names = labels, class = "data.frame", row.names = .set_row_names(about$rows[[set]]))
  })
  special <- setNames(rep(list(NA), length(labels)), labels)
  for (i in seq_along(about$special)) special[[about$special[[i]]$column]] <- as.numeric(unlist(about$special[[i]]$values))
  synds <- structure(list(syn = if (about$m == 1) frames[[1]] else frames, m = as.numeric(about$m), cont.na = special,
                          n = as.integer(about$n), k = as.integer(about$k)), class = "synds")
  if (about$as == "rda") save(synds, file = path) else saveRDS(synds, path)
  "{}"
})
