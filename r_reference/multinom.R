# Records what nnet::multinom says about two models of the Survey of Youth in Custody: coefficients, standard errors, log-likelihood, versions.
#
#     Rscript r_reference/multinom.R [output file]        default: fixtures/expected_models/multinom.json
#
# Complete cases only, no penalty. Numbers are standardised (mean 0, population standard deviation 1) before the fit and the coefficients say so: multinom stops early on
# badly scaled columns. The tolerance is far below its default, so that coefficients are good to about 1e-6.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1]))
source(file.path(here, "json.R"))
output <- commandArgs(TRUE)
output <- if (length(output)) output[1] else file.path(here, "..", "fixtures", "expected_models", "multinom.json")

syc <- read.csv(file.path(here, "..", "fixtures", "data", "syc.csv.gz"), na.strings = "\\N", stringsAsFactors = TRUE)

models <- list(
  race = list(response = "race", predictors = c("age", "educ", "ethnicty", "sex", "everviol", "famtime")),
  facility = list(response = "psu", facilities = c(1, 3, 4, 7, 13, 17, 40, 49), predictors = c("age", "numarr", "everviol", "alcuse", "usewepn")))
levels_of <- list(ethnicty = c("hispanic", "notHispanic"), sex = c("male", "female"), everviol = c("no", "yes"), famtime = c("yes", "no"),
                  alcuse = c("yes", "noduringyear", "noatall"), usewepn = c("yes", "no"))

standardise <- function(x) (x - mean(x)) / sqrt(mean((x - mean(x))^2))

fit_one <- function(model) {
  data <- syc[, c(model$response, model$predictors)]
  if (!is.null(model$facilities)) data <- data[data$psu %in% model$facilities, ]
  data <- data[complete.cases(data), ]
  for (name in names(data)) {
    if (name %in% names(levels_of)) data[[name]] <- droplevels(factor(data[[name]], levels = levels_of[[name]]))
    else if (name != model$response) data[[name]] <- standardise(data[[name]])
  }
  data[[model$response]] <- factor(data[[model$response]])
  fit <- nnet::multinom(reformulate(model$predictors, model$response), data, trace = FALSE, maxit = 5000, reltol = 1e-15, abstol = 1e-15, Hess = TRUE, MaxNWts = 5000)
  list(response = one(model$response), predictors = model$predictors, facilities = model$facilities, records = one(nrow(data)),
       levels = rownames(coef(fit)), columns = colnames(coef(fit)), coefficients = unname(split(coef(fit), row(coef(fit)))),
       standard_errors = unname(split(summary(fit)$standard.errors, row(coef(fit)))), loglik = one(as.numeric(logLik(fit))), converged = one(fit$convergence == 0))
}

result <- list(stamp = list(R = one(R.version.string), nnet = one(as.character(packageVersion("nnet")))), models = lapply(models, fit_one))
writeLines(to_json(result), output)
