# Writes fixtures/r_files, the files of R that the readers are tested with. Base R only, no synthpop: a synds is a list with a class.
#
#   Rscript r_reference/make_r_files.R [folder]
#
# The values are typed in here and once more in tests/unit/test_r_files.py, so that no reader is its own judge.

this_file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
folder <- c(commandArgs(TRUE), file.path(dirname(dirname(normalizePath(this_file))), "fixtures", "r_files"))[1]
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
place <- function(name) file.path(folder, name)

# ---- a data frame with every type, and what is easily lost: unused levels, an explicit NA level, the text "NA", gaps --------

ods <- data.frame(
  region = factor(c("south", NA, "NA", "south", "\u00e9 \"q\"", "south"), levels = c("south", "unused", "NA", "\u00e9 \"q\"")),
  grade = factor(c("lo", "hi", "hi", NA, "lo", "lo"), levels = c("lo", "mid", "hi"), ordered = TRUE),
  answer = addNA(factor(c("yes", NA, "no", "yes", "no", NA), levels = c("yes", "no"))),
  name = c("NA", NA, "a\tb\n", "\u4e2d", "", "\u00e9"),
  children = c(-2147483647L, NA, 0L, 2147483647L, 3L, 2L),
  number = 1:6,
  income = c(1 / 3, NA, NaN, -Inf, Inf, -8),
  code = c(0.1 + 0.2, 1e22, 5e-324, 0, -1, 2),
  works = c(TRUE, NA, FALSE, TRUE, TRUE, FALSE),
  sure = c(TRUE, FALSE, TRUE, TRUE, FALSE, FALSE),
  born = as.Date(c("2020-02-29", NA, "1900-01-01", "1969-12-31", "1970-01-01", "2000-01-01")),
  seen = as.POSIXct(c(0, 86400, NA, 1600000000.25, -1.5, 1e9), origin = "1970-01-01", tz = "UTC"),
  "a name, with \"marks\"" = c(1, 2, 3, NA, 5, 6),
  check.names = FALSE, stringsAsFactors = FALSE)

saveRDS(ods, place("ods.rds"))
saveRDS(ods, place("ods_xz.rds"), compress = "xz")
saveRDS(ods, place("ods_bzip2.rds"), compress = "bzip2")
saveRDS(ods, place("ods_plain.rds"), compress = FALSE)
saveRDS(ods, place("ods_ascii.rds"), ascii = TRUE, compress = FALSE)
saveRDS(ods, place("ods_version2.rds"), version = 2)

# ---- syntheses ----------------------------------------------------------------------------------------------------------------

original <- data.frame(
  sex = factor(c("F", "M", "F", "M", "F", "F"), levels = c("F", "M")),
  age = c(31L, 62L, 18L, 45L, 31L, 77L),
  income = c(800, -8, NA, 1250.5, -8, 300),
  grade = ods$grade)

set <- function(shift) {
  rows <- (seq_len(nrow(original)) + shift - 1) %% nrow(original) + 1
  structure(original[rows, ], row.names = seq_len(nrow(original)))
}

# The fields of synthpop 1.9: a reader has to get past a call, a matrix and NULL.
synds <- function(sets) {
  names <- names(original)
  structure(list(
    call = quote(syn(data = original, m = 5, cont.na = list(income = -8), seed = 2011)),
    m = length(sets),
    syn = if (length(sets) == 1) sets[[1]] else sets,
    method = c(sex = "sample", age = "cart", income = "cart", grade = "cart"),
    visit.sequence = setNames(seq_along(names), names),
    predictor.matrix = matrix(as.integer(lower.tri(diag(4))), 4, dimnames = list(names, names)),
    smoothing = setNames(rep(list(""), 4), names), event = setNames(rep(0, 4), names), denom = setNames(rep(0, 4), names),
    proper = FALSE, n = 6L, k = 6L,
    rules = setNames(rep(list(""), 4), names), rvalues = setNames(rep(list(NA), 4), names),
    cont.na = list(sex = NA, age = NA, income = c(NA, -8), grade = NA),
    semicont = setNames(rep(list(NA), 4), names), drop.not.used = FALSE, drop.pred.only = FALSE,
    models = NULL, seed = 2011, var.lab = NULL, val.lab = NULL, obs.vars = names, numtocat = NULL, catgroups = NULL), class = "synds")
}

saveRDS(synds(list(set(0))), place("synds_m1.rds"))
saveRDS(synds(lapply(0:4, set)), place("synds_m5.rds"))

# A stratified synthesis keeps its special values in a matrix of lists, one row per stratum.
stratified <- synds(list(set(1)))
stratified$cont.na <- rbind(`1` = stratified$cont.na, `2` = stratified$cont.na)
saveRDS(stratified, place("synds_strata.rds"))

# ---- workspaces -----------------------------------------------------------------------------------------------------------------

s1 <- synds(list(set(0)))
small <- data.frame(x = c(1.5, NA), y = factor(c("b", "a")), row.names = c("first", "second"))
seeds <- c(2011L, NA, 7L)
settings <- list(
  keys = c("sex", "age"), weights = c(sex = 0.5, age = NA), empty = NULL, levels = ods$grade, dates = ods$born,
  counts = table(original$sex), grid = matrix(c(1L, NA, 3L, 4L, 5L, 6L), 2), nested = list(1, list("a", TRUE)), frame = small)
save(s1, ods, small, seeds, settings, file = place("workspace.RData"))
save(s1, ods, small, seeds, settings, file = place("workspace_xz.rda"), compress = "xz")
save(ods, small, file = place("frames.RData"))

# What has no counterpart in Python, beside what has.
a_function <- function(x) x + 1
a_formula <- y ~ x
environment(a_formula) <- globalenv()
an_environment <- new.env()
lists <- data.frame(x = 1:2); lists$parts <- list(1, "a")
took <- data.frame(x = 1:2, time = as.difftime(c(1, 2), units = "secs"))
parts <- list(call = quote(f(x)), kept = 1:3, list(2, a_function))
save(a_function, a_formula, an_environment, lists, took, parts, small, file = place("odd.RData"))
saveRDS(a_function, place("function.rds"))

# A file that runs code as soon as R looks at what is in it: the value of a promise is worked out when it is asked for.
delayedAssign("synds", { file.create("this_ran"); data.frame(x = 1:2) })
save(synds, file = place("promise.RData"), eval.promises = FALSE)
