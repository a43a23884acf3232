# Ends with an error unless the CRAN mirror that R is set to answers within five seconds.
options(timeout = 5)
repos <- getOption("repos")
if (is.na(repos["CRAN"]) || repos["CRAN"] == "@CRAN@") {
  chooseCRANmirror(graphics = FALSE, ind = 1, local.only = TRUE)
  repos <- getOption("repos")
}
index <- paste0(contrib.url(repos[["CRAN"]], type = "source"), "/PACKAGES.gz")
download.file(index, tempfile(), quiet = TRUE, mode = "wb")
