# Called by install.sh, and by hand on macOS and Windows: Rscript r_reference/install.R r_reference
arguments <- commandArgs(trailingOnly = TRUE)
here <- arguments[1]
check_only <- length(arguments) > 1 && arguments[2] == "--check"

from_system <- c("rpart", "party", "classInt", "proto", "polspline", "randomForest", "ranger", "stringr", "ggplot2", "foreign", "plyr",
                 "forcats", "nnet", "MASS", "survival", "lattice", "jsonlite", "numDeriv", "rmutil", "Rsolnp", "tibble")
from_cran <- c("cmm", "mipfp", "broman", "SDaA")

repos <- getOption("repos")
if (is.na(repos["CRAN"]) || repos["CRAN"] == "@CRAN@") { chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE); repos <- getOption("repos") }

missing_of <- function(packages) packages[!vapply(packages, requireNamespace, TRUE, quietly = TRUE)]

site <- .libPaths()[1]
if (file.access(site, 2) != 0) { site <- Sys.getenv("R_LIBS_USER"); dir.create(site, recursive = TRUE, showWarnings = FALSE); .libPaths(site) }

wanted <- missing_of(c(from_system, from_cran))
if (length(wanted) && !check_only) {
  cat("installing from CRAN:", wanted, "\n")
  install.packages(wanted, lib = site, repos = repos, quiet = TRUE)
}

# A released version is either the current one or in the archive of the mirror.
fetch_synthpop <- function(version, folder) {
  name <- paste0("synthpop_", version, ".tar.gz")
  file <- file.path(folder, name)
  for (place in c("src/contrib", "src/contrib/Archive/synthpop")) {
    ok <- tryCatch(suppressWarnings(download.file(paste(repos[["CRAN"]], place, name, sep = "/"), file, quiet = TRUE, mode = "wb")) == 0, error = function(e) FALSE)
    if (ok) return(file)
  }
  NULL
}

installed_version <- function(library) {
  if (!dir.exists(file.path(library, "synthpop"))) return("")
  as.character(packageDescription("synthpop", lib.loc = library)$Version)
}

text <- paste(readLines(file.path(here, "versions.json"), warn = FALSE), collapse = "")
versions <- regmatches(text, gregexpr("[0-9]+\\.[0-9]+-[0-9]+", text))[[1]]
failed <- missing_of(c(from_system, from_cran))
if ("SDaA" %in% failed) {  # its data live on in another package
  if (!check_only) install.packages("SDAResources", lib = site, repos = repos, quiet = TRUE)
  if (requireNamespace("SDAResources", quietly = TRUE)) failed <- setdiff(failed, "SDaA")
}

for (version in versions) {
  library <- file.path(here, "library", version)
  if (installed_version(library) == version) next
  if (check_only) { failed <- c(failed, paste("synthpop", version)); next }
  file <- fetch_synthpop(version, tempdir())
  cat("installing synthpop", version, "\n")
  if (!is.null(file)) dir.create(library, recursive = TRUE, showWarnings = FALSE)
  if (!is.null(file)) install.packages(file, lib = library, repos = NULL, type = "source", quiet = TRUE)
  if (installed_version(library) != version) failed <- c(failed, paste("synthpop", version))
}

cat("R", as.character(getRversion()), " ICU", extSoftVersion()["ICU"], "\n")
for (p in setdiff(c(from_system, from_cran, "SDAResources"), missing_of(c(from_system, from_cran, "SDAResources")))) cat(p, as.character(packageVersion(p)), "\n")
for (version in versions) cat("synthpop", installed_version(file.path(here, "library", version)), "in library", version, "\n")
served <- tryCatch(available.packages(repos = repos)["synthpop", "Version"], error = function(e) NA)
if (!is.na(served) && package_version(served) > package_version(versions[1]))
  cat("NOTE: CRAN now serves synthpop", served, "but the reference here is", versions[1], "- see docs/decisions/0001-reference-version.md\n")
if (length(failed)) { cat("MISSING:", failed, "\n"); quit(status = 1) }
