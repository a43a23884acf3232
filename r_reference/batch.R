# Rscript batch.R <reference dir> <fixture dir> <cases file> <output file>: runs a file of cases, one JSON object a line, each with the
# collations it asks for. The first output line is the stamp of versions.
arguments <- commandArgs(trailingOnly = TRUE)
suppressMessages({ library(synthpop); library(jsonlite) })
for (file in c("json.R", "frames.R", "data_files.R", "run_case.R")) source(file.path(arguments[1], file))
output <- file(arguments[4], "w", encoding = "UTF-8")
writeLines(stamp_json(), output)
for (line in readLines(arguments[3], encoding = "UTF-8")) {
  collations <- unlist(fromJSON(line, simplifyVector = FALSE)$collation)
  for (collation in if (is.null(collations)) "icu" else collations) {
    writeLines(enc2utf8(run_case_json(line, collation, arguments[2])), output, useBytes = TRUE)
    flush(output)
  }
}
close(output)
