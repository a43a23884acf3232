# Columns smoothed by base R: its sd(), its bw.SJ(), and the values moved by rnorm() as wide as that, kept between the smallest value
# and the largest plus the width, rounded to as many decimals as the column has. No package but jsonlite is needed.
#
#   Rscript r_reference/smoothing.R fixtures/syn/smoothing.json     records 30 columns
#   Rscript r_reference/smoothing.R OUTPUT COLUMNS                  answers for a JSON list of columns
arguments <- commandArgs(trailingOnly = TRUE)
RNGkind("Mersenne-Twister", "Inversion", "Rejection")

made <- function(i) {
  n <- c(12, 30, 60, 120, 520)[i %% 5 + 1]
  set.seed(1000 + i)
  switch(i %% 4 + 1, round(rnorm(n, 50, 20), 1), sample(0:40, n, TRUE) + 0, round(rlnorm(n, 7, 1), 2), rnorm(n))
}
columns <- if (length(arguments) == 1) lapply(1:30, made) else lapply(jsonlite::fromJSON(arguments[2], simplifyVector = FALSE), unlist)

decimals <- function(x) {
  part <- as.character(x - floor(x))
  ifelse(grepl(".", part, fixed = TRUE), nchar(sub(".*\\.", "", part)), 0)
}
numbers <- function(x) paste0("[", paste(sprintf("%.17g", x), collapse = ", "), "]")
answer <- function(i) {
  x <- columns[[i]]
  width <- bw.SJ(x)
  set.seed(i)
  z <- rnorm(length(x), x, width)
  moved <- round(pmax(pmin(z, max(x) + width), min(x)), max(decimals(x)))
  set.seed(i)
  sprintf('{"seed": %d, "values": %s, "sd": %.17g, "width": %.17g, "normals": %s,\n  "smoothed": %s}',
          i, numbers(x), sd(x), width, numbers(rnorm(min(length(x), 10))), numbers(moved))
}
stamp <- sprintf('{"R": "%s", "platform": "%s", "bits of long double": %s}', R.version.string, R.version$platform, .Machine$longdouble.digits)
body <- paste(vapply(seq_along(columns), answer, ""), collapse = ",\n")
writeLines(sprintf('{"versions": %s,\n"columns": [\n%s\n]}', stamp, body), arguments[1])
