# Writing results as JSON with every double in 17 significant digits.
# jsonlite reads our cases; it is not used for writing because it keeps 15 digits and has no word for NaN, Inf and NA of a number.

json_string <- function(x) {
  x <- enc2utf8(x)
  x <- gsub("\\", "\\\\", x, fixed = TRUE)
  x <- gsub("\"", "\\\"", x, fixed = TRUE)
  x <- gsub("\n", "\\n", x, fixed = TRUE)
  x <- gsub("\r", "\\r", x, fixed = TRUE)
  x <- gsub("\t", "\\t", x, fixed = TRUE)
  paste0("\"", x, "\"")
}

json_number <- function(x) {
  out <- sprintf("%.17g", as.double(x))
  out[is.nan(x)] <- "\"NaN\""
  out[is.na(x) & !is.nan(x)] <- "null"
  out[is.infinite(x)] <- ifelse(x[is.infinite(x)] > 0, "\"Inf\"", "\"-Inf\"")
  out
}

json_atoms <- function(x) {
  if (is.factor(x)) x <- as.character(x)
  if (is.character(x)) ifelse(is.na(x), "null", json_string(x))
  else if (is.logical(x)) ifelse(is.na(x), "null", ifelse(x, "true", "false"))
  else json_number(x)
}

# A value marked with one() is written as a scalar; every other vector, also of length 1, as an array.
one <- function(x) structure(list(x), class = "json_one")

to_json <- function(x) {
  if (is.null(x)) return("null")
  if (inherits(x, "json_one")) return(if (is.null(x[[1]])) "null" else json_atoms(x[[1]]))
  if (is.list(x)) {
    parts <- vapply(x, to_json, "")
    if (is.null(names(x))) return(paste0("[", paste(parts, collapse = ", "), "]"))
    return(paste0("{", paste0(json_string(names(x)), ": ", parts, collapse = ", "), "}"))
  }
  paste0("[", paste(json_atoms(x), collapse = ", "), "]")
}
