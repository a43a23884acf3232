# Makes the recorded syntheses of fixtures/data with synthpop's own syn().
#
#   Rscript r_reference/synthesise.R [name ...]
#
# Without names all of them are made, which takes about six minutes. The originals are read from fixtures/data, so
# export_data.R comes first. The recorded call is the very expression that is evaluated here.

suppressMessages(library(synthpop))
this_file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
here <- dirname(normalizePath(this_file))
data_dir <- file.path(dirname(here), "fixtures", "data")
source(file.path(here, "data_files.R"))
RNGkind("Mersenne-Twister", "Inversion", "Rejection")

nine <- quote(ods <- SD2011[, c("sex", "age", "region", "placesize", "depress", "income", "ls", "marital", "workab")])

dp_note <- paste(
  "Differential privacy as synthpop offers it: Laplace noise on the tables named in ipf.othmargins (columns by position),",
  "epsilon shared equally among them, then iterative proportional fitting. Each of the five sets spends the whole epsilon.",
  "The tables are the second choice, made after comparing output with the original: a first run with eight two-way tables",
  "(m = 1, epsilon 1 and 10, default ipf.tol) gave 1899 and 1928 men where the original has 2182, and stopped after",
  "one pass; synthpop zeroes the smallest cells of a noisy table once the total is reached (in the table of sex by",
  "income a cell of 222 men, in about half of the draws at epsilon 10).",
  "Larger tables and a smaller ipf.tol followed, tried with epsilon 0.5, 1 and 10. That selection used the data and is not",
  "covered by epsilon, so these sets illustrate the method and carry no privacy guarantee.")

# Positions in SD2011_grouped: sex age region placesize depress income ls marital workab. The tables stand in the call itself,
# because syn() looks up a name given for ipf.othmargins outside the place where the call is evaluated.
private_call <- function(epsilon) bquote(
  syn(SD2011_grouped, method = "ipf", m = 5, seed = 8564, ipf.gmargins = NULL,
      ipf.othmargins = list(c(1, 2, 6), c(2, 8, 9), c(2, 5, 7), c(3, 4), c(4, 6)),
      ipf.epsilon = .(epsilon), ipf.tol = 1e-8, ipf.max.its = 20, print.flag = FALSE))

syntheses <- list(
  SD2011_s1 = list(original = "SD2011", setup = nine, seed = 8564,
    call = quote(syn(ods, seed = 8564, print.flag = FALSE, cont.na = list(income = -8))),
    packages = "rpart", note = "s1 of Raab, Nowok and Dibben."),
  SD2011_s5 = list(original = "SD2011", setup = nine, seed = 8564,
    call = quote(syn(ods, seed = 8564, m = 5, print.flag = FALSE)),
    packages = "rpart", note = "s5 of Raab, Nowok and Dibben; no cont.na, as in the paper."),
  SD2011_sample = list(original = "SD2011", setup = nine, seed = 8564,
    call = quote(syn(ods, method = "sample", m = 5, seed = 8564, cont.na = list(income = -8), print.flag = FALSE)),
    note = "Every variable drawn independently of the others."),
  SD2011_parametric = list(original = "SD2011", setup = nine, seed = 8564,
    call = quote(syn(ods, method = "parametric", m = 5, seed = 8564, cont.na = list(income = -8), print.flag = FALSE)),
    packages = "nnet", note = "normrank for numeric variables, polyreg for factors (workab too: its missing values make a third class)."),
  SD2011_ctree = list(original = "SD2011", setup = nine, seed = 8564,
    call = quote(syn(ods, method = "ctree", m = 5, seed = 8564, cont.na = list(income = -8), print.flag = FALSE)),
    packages = "party", note = "Conditional inference trees."),
  SD2011_dp_eps1 = list(original = "SD2011_grouped", seed = 8564, call = private_call(1),
    packages = c("mipfp", "rmutil"), note = dp_note),
  SD2011_dp_eps10 = list(original = "SD2011_grouped", seed = 8564, call = private_call(10),
    packages = c("mipfp", "rmutil"), note = dp_note),
  Adult_cart = list(original = "Adult", seed = 8564,
    setup = quote(visits <- c(setdiff(names(Adult), "native.country"), "native.country")),
    call = quote(syn(Adult, method = "cart", visit.sequence = visits, seed = 8564, print.flag = FALSE)),
    packages = "rpart", note = paste(
      "native.country comes last because its 41 levels as a predictor of an outcome with three or more classes make",
      "the tree search exponential. All else is syn()'s default. syn() returns the integer columns after the first as doubles.")),
  Adult_boot = list(original = "Adult", setup = quote(set.seed(8564)), seed = 8564,
    call = quote(Adult[sample.int(nrow(Adult), replace = TRUE), ]),
    note = "Not made by syn(): rows of Adult drawn with replacement."))

as_synds <- function(made) {
  if (inherits(made, "synds")) return(made)
  rownames(made) <- NULL
  structure(list(syn = made, m = 1, cont.na = lapply(made, function(column) NA), n = nrow(made), k = nrow(made)),
            class = "synds")
}

# Plain row names in every set; the files keep none.
without_row_names <- function(object) {
  bare <- function(set) { rownames(set) <- NULL; set }
  object$syn <- if (object$m == 1) bare(object$syn) else lapply(object$syn, bare)
  object
}

one_line <- function(expression) gsub(" +", " ", paste(deparse(expression, width.cutoff = 500), collapse = " "))

make <- function(name) {
  recipe <- syntheses[[name]]
  bench <- new.env()
  assign(recipe$original, read_data_file(recipe$original, data_dir), envir = bench)
  eval(recipe$setup, bench)
  started <- proc.time()[["elapsed"]]
  utils::capture.output(made <- eval(recipe$call, bench))
  object <- without_row_names(as_synds(made))
  files <- write_synthesis(object, name, data_dir)
  first <- if (object$m == 1) object$syn else object$syn[[1]]
  write_manifest_entry(list(
    kind = "synthesis", rows = nrow(first), columns = ncol(first), original = recipe$original, m = object$m,
    setup = if (!is.null(recipe$setup)) one_line(recipe$setup), call = one_line(recipe$call), seed = recipe$seed,
    rng = paste(RNGkind(), collapse = ", "), versions = package_versions(c("synthpop", recipe$packages)),
    licence = paste("As", recipe$original, "and synthpop."), note = recipe$note), name, files, data_dir)
  cat(sprintf("%-18s m = %d  %6d x %2d  %5.1f s\n", name, object$m, nrow(first), ncol(first),
              proc.time()[["elapsed"]] - started))
}

wanted <- commandArgs(TRUE)
if (length(wanted) == 0) wanted <- names(syntheses)
unknown <- setdiff(wanted, names(syntheses))
if (length(unknown) > 0)
  stop("no synthesis named ", paste(unknown, collapse = ", "), "; choices: ", paste(names(syntheses), collapse = ", "),
       call. = FALSE)
for (name in wanted) make(name)
