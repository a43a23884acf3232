# Writes the data sets of fixtures/data from the R packages that carry them.
#
#   Rscript r_reference/export_data.R [--fetch]
#
# Adult comes out of the source package of arules, which is downloaded and unpacked but never installed
# (its current version asks for a later R than the reference). The download is left out when the file is
# there and still has the SHA-256 of the manifest; --fetch asks for it all the same.

this_file <- sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE))
here <- dirname(normalizePath(this_file))
data_dir <- file.path(dirname(here), "fixtures", "data")
source(file.path(here, "data_files.R"))

export <- function(frame, name, entry) {
  rownames(frame) <- NULL
  files <- write_data_file(frame, name, data_dir)
  if (!identical(read_data_file(name, data_dir), frame)) stop(name, " does not read back as it was written", call. = FALSE)
  shape <- list(kind = "data", rows = nrow(frame), columns = ncol(frame))
  write_manifest_entry(c(shape, entry), name, files, data_dir)
  cat(sprintf("%-15s %6d x %2d  %s\n", name, nrow(frame), ncol(frame), entry$source))
}

packaged <- function(object, package) {
  shelf <- new.env()
  utils::data(list = object, package = package, envir = shelf)
  shelf[[object]]
}

source_entry <- function(object, package, note) {
  description <- utils::packageDescription(package)
  list(source = paste0(object, " of the R package ", package), version = description$Version,
       licence = paste0(package, ": ", description$License, ". ", note))
}

export_sd2011 <- function() {
  export(packaged("SD2011", "synthpop"), "SD2011", source_entry("SD2011", "synthpop",
    "Help page: Council for Social Monitoring, Social Diagnosis 2000-2011, integrated database; variables renamed."))
}

# numtocat.syn() leaves the levels in alphabetical order; here they go back to numeric order, -8 first.
export_sd2011_grouped <- function() {
  ods <- packaged("SD2011", "synthpop")[, c("sex", "age", "region", "placesize", "depress", "income", "ls",
                                            "marital", "workab")]
  grouped <- synthpop::numtocat.syn(ods, cont.na = list(income = -8), catgroups = 5, print.flag = FALSE)
  frame <- grouped$data
  for (name in grouped$numtocat) {
    classes <- grouped$levels[[name]]
    special <- classes %in% as.character(grouped$cont.na[[name]])
    frame[[name]] <- factor(frame[[name]], levels = c(classes[special], classes[!special]))
  }
  entry <- source_entry("SD2011", "synthpop", "Derived from SD2011.")
  entry$derived_from <- "SD2011"
  entry$call <- "numtocat.syn(ods, cont.na = list(income = -8), catgroups = 5)$data"
  entry$note <- paste("The nine variables of the paper, numeric ones in up to five quantile groups, -8 of income",
                      "kept apart, levels put into numeric order, missing values kept.")
  entry$versions <- package_versions(c("synthpop", "classInt"))
  export(frame, "SD2011_grouped", entry)
}

export_syc <- function() {
  package <- Find(function(name) nzchar(system.file(package = name)), c("SDaA", "SDAResources"))
  if (is.null(package)) stop("syc needs the R package SDaA or SDAResources", call. = FALSE)
  export(packaged("syc", package), "syc", source_entry("syc", package,
    "Help page: Survey of Youth in Custody 1987, ICPSR, NCJ-130915, U.S. Department of Justice 1989; Lohr (1999)."))
}

unchanged <- function(name) {
  files <- read_manifest(data_dir)[[name]]$files
  length(files) > 0 && all(vapply(names(files), function(file) {
    path <- file.path(data_dir, file)
    file.exists(path) && sha256(path) == files[[file]]$sha256
  }, TRUE))
}

# Any version will do for its data, so the filter that hides packages for a later R is switched off.
unpack_arules <- function(work) {
  available <- utils::available.packages(type = "source", filters = "duplicates")
  archive <- utils::download.packages("arules", work, available = available, type = "source", quiet = TRUE)
  if (nrow(archive) == 0) stop("the source package of arules could not be downloaded", call. = FALSE)
  utils::untar(archive[1, 2], files = c("arules/DESCRIPTION", "arules/data/AdultUCI.rda"), exdir = work)
  file.path(work, "arules")
}

export_adult <- function() {
  work <- tempfile("arules")
  dir.create(work)
  on.exit(unlink(work, recursive = TRUE))
  package <- unpack_arules(work)
  shelf <- new.env()
  load(file.path(package, "data", "AdultUCI.rda"), envir = shelf)
  adult <- shelf$AdultUCI
  names(adult) <- gsub("-", ".", names(adult), fixed = TRUE)
  description <- read.dcf(file.path(package, "DESCRIPTION"))[1, ]
  export(adult, "Adult", list(
    source = "AdultUCI of the R package arules (source package), hyphens in names turned into dots",
    version = description[["Version"]],
    licence = paste0("arules: ", description[["License"]], ". Help page: the Adult (Census Income) data of the ",
                     "UCI repository, extracted in 1994 by Ronny Kohavi and Barry Becker.")))
}

if ("@CRAN@" %in% getOption("repos")) utils::chooseCRANmirror(ind = 1)
export_sd2011()
export_sd2011_grouped()
export_syc()
if (unchanged("Adult") && !("--fetch" %in% commandArgs(TRUE))) {
  cat("Adult           unchanged, not fetched again\n")
} else {
  export_adult()
}
