# Frame specifications (FORMATS.md) to data frames and back.

column_from_spec <- function(spec) {
  values <- spec$values
  text <- vapply(values, function(v) if (is.null(v)) NA_character_ else as.character(v), "")
  switch(spec$type,
    factor = , ordered = factor_from_spec(text, spec),
    character = text,
    logical = as.logical(text),
    integer = vapply(values, function(v) if (is.null(v)) NA_integer_ else as.integer(v), 0L),
    double = vapply(values, function(v) if (is.null(v)) NA_real_ else as.numeric(v), 0),
    Date = as.Date(text),
    POSIXct = as.POSIXct(as.numeric(text), origin = "1970-01-01", tz = "UTC"),
    stop("unknown column type in a frame specification: ", spec$type))
}

factor_from_spec <- function(text, spec) {
  levels <- vapply(spec$levels, function(v) if (is.null(v)) NA_character_ else v, "")
  factor(text, levels = levels, exclude = if (anyNA(levels)) NULL else NA, ordered = spec$type == "ordered")
}

frame_from_spec <- function(spec) {
  frame <- lapply(spec$columns, column_from_spec)
  names(frame) <- vapply(spec$columns, function(col) col$name, "")
  rows <- if (length(frame)) length(frame[[1]]) else 0L
  frame <- structure(frame, class = "data.frame", row.names = seq_len(rows))
  if (isTRUE(spec$tibble)) tibble::as_tibble(frame) else frame
}

column_type <- function(x) {
  if (is.ordered(x)) "ordered" else if (is.factor(x)) "factor" else if (inherits(x, "Date")) "Date"
  else if (inherits(x, "POSIXct")) "POSIXct" else typeof(x)
}

column_to_spec <- function(name, x) {
  spec <- list(name = one(name), type = one(column_type(x)))
  if (is.factor(x)) spec$levels <- levels(x)
  spec$values <- switch(column_type(x), Date = format(x), POSIXct = as.numeric(x), factor = , ordered = as.character(x), x)
  spec
}

# Large frames are described instead of written out: enough sums to notice a changed, moved or lost value.
column_summary <- function(name, x) {
  spec <- list(name = one(name), type = one(column_type(x)), missing = one(sum(is.na(x))))
  if (is.character(x)) x <- factor(x, levels = sort(unique(x), method = "radix"))
  if (is.factor(x)) {
    spec$levels <- levels(x)
    spec$counts <- tabulate(as.integer(x), nlevels(x))
  }
  value <- as.numeric(x)
  here <- !is.na(value)
  spec$sum <- one(sum(value[here]))
  spec$position_sum <- one(sum(which(here) * value[here]))
  spec
}

frame_to_json_list <- function(frame, full_up_to = 200) {
  describe <- if (nrow(frame) <= full_up_to) column_to_spec else column_summary
  list(rows = one(nrow(frame)), columns = unname(Map(function(n, x) describe(n, x), names(frame), as.list(frame))))
}
