# Records what synthpop's utility.gen() answers for the logistic propensity model, for tests/unit/test_utility.py.
#
#   R_LIBS=r_reference/library/1.9-3 Rscript r_reference/utility_gen.R [file]
#
# writes fixtures/expected_models/utility_gen.json, or the file given; about half a minute. The data are those of fixtures/data. One set at a time: utility.gen() stops on several
# sets when resamp.method is NULL, its default for "logit". utility.gen() fits with glm()'s usual tolerance, 1e-8 of the deviance; the same model is fitted
# again with 1e-14 (pMSE_tight), so that a comparison can be close. Variables with rare levels are not crossed: where a cell occurs in one of the two data sets
# only, glm() runs away and does not converge.

suppressMessages({ library(synthpop); library(jsonlite) })
this_file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
here <- dirname(normalizePath(this_file))
fixtures <- file.path(dirname(here), "fixtures")
source(file.path(here, "data_files.R"))

original <- read_data_file("SD2011", file.path(fixtures, "data"))
three <- c("sex", "age", "placesize")

cases <- list(
  list(synthesis = "SD2011_s1", set = 1, maxorder = 0),
  list(synthesis = "SD2011_s1", set = 1, maxorder = 0, vars = three),
  list(synthesis = "SD2011_s1", set = 1, maxorder = 1, vars = three),
  list(synthesis = "SD2011_sample", set = 1, maxorder = 0),
  list(synthesis = "SD2011_sample", set = 1, maxorder = 1, vars = three),
  list(synthesis = "SD2011_parametric", set = 2, maxorder = 0),
  list(synthesis = "SD2011_s5", set = 3, maxorder = 0))

run <- function(case) {
  made <- read_synthesis(case$synthesis, file.path(fixtures, "data"))
  frame <- if (made$m == 1) made$syn else made$syn[[case$set]]
  vars <- if (is.null(case$vars)) names(frame) else case$vars
  special <- Filter(function(v) length(v) > 0, lapply(made$cont.na, function(v) v[!is.na(v)]))
  special <- special[names(special) %in% vars]
  got <- NULL
  utils::capture.output(got <- utility.gen(frame[, vars], original[, vars], cont.na = if (length(special)) special, method = "logit",
    maxorder = case$maxorder, print.flag = FALSE))
  tight <- glm(formula(got$fit), data = got$fit$model, family = "binomial", control = list(maxit = 200, epsilon = 1e-14))
  stopifnot(got$fit$converged, tight$converged)
  share <- mean(got$fit$y)
  c(case[c("synthesis", "set", "maxorder")], list(vars = vars, cont.na = special, pMSE = got$pMSE, S_pMSE = got$S_pMSE, df = got$df,
    pMSE_tight = mean((fitted(tight) - share)^2)))
}

stamp <- list(R = paste(R.version$major, R.version$minor, sep = "."), synthpop = as.character(packageVersion("synthpop")), made_by = "r_reference/utility_gen.R")
out <- c(commandArgs(TRUE), file.path(fixtures, "expected_models", "utility_gen.json"))[1]
writeLines(toJSON(list(stamp = stamp, cases = lapply(cases, run)), auto_unbox = TRUE, digits = I(17), pretty = TRUE), out)
