# Recordings for developers: generator streams, and syn() with default CART step by step.
#
#   Rscript r_reference/record_syn.R fixtures/syn
#
# Writes rng.json and one <case>.json per case. Doubles are written with 17 significant digits.
suppressMessages({library(synthpop); library(rpart)})
out <- commandArgs(TRUE)[1]
RNGkind("Mersenne-Twister", "Inversion", "Rejection")

json <- function(x) {
  if (is.null(x)) return("null")
  if (is.list(x)) {
    body <- vapply(x, json, "")
    if (is.null(names(x))) return(paste0("[", paste(body, collapse = ", "), "]"))
    return(paste0("{", paste0(vapply(names(x), text_json, ""), ": ", body, collapse = ", "), "}"))
  }
  one <- if (is.character(x)) vapply(x, text_json, "", USE.NAMES = FALSE)
    else if (is.logical(x)) ifelse(is.na(x), "null", ifelse(x, "true", "false"))
    else if (is.integer(x)) ifelse(is.na(x), "null", sprintf("%d", x))
    else ifelse(is.na(x), "null", number(x))
  if (inherits(x, "AsIs")) return(one)
  paste0("[", paste(one, collapse = ", "), "]")
}
number <- function(x) {
  short <- sprintf("%.15g", x)
  ifelse(is.finite(x) & suppressWarnings(as.numeric(short)) == x, short, sprintf("%.17g", x))
}
text_json <- function(x) {
  if (is.na(x)) return("null")
  x <- gsub("\\", "\\\\", enc2utf8(x), fixed = TRUE)
  paste0("\"", gsub("\"", "\\\"", x, fixed = TRUE), "\"")
}
one <- function(x) I(x)
versions <- list(R = one(R.version.string), platform = one(R.version$platform), synthpop = one(as.character(packageVersion("synthpop"))),
                 rpart = one(as.character(packageVersion("rpart"))), collate = one(Sys.getlocale("LC_COLLATE")), script = one("record_syn.R"))
save <- function(object, name) {
  text <- json(object)
  con <- file(file.path(out, paste0(name, ".json")), "wb"); on.exit(close(con))
  writeBin(charToRaw(paste0(text, "\n")), con)
}

# ---- generator streams: the calls of one entry follow each other on one stream
stream <- function(seed) {
  set.seed(seed)
  calls <- list()
  add <- function(...) calls[[length(calls) + 1]] <<- list(...)
  add(what = one("runif"), size = one(6L), values = runif(6))
  for (n in c(1L, 2L, 10L, 1000L, 32768L, 65536L, 65537L, 1000000L))
    add(what = one("sample.replace"), n = one(n), size = one(7L), values = sample.int(n, 7, replace = TRUE))
  for (n in c(2L, 5L, 33L, 300L)) add(what = one("sample.noreplace"), n = one(n), size = one(n), values = sample.int(n))
  add(what = one("sample.noreplace"), n = one(70000L), size = one(6L), values = sample.int(70000, 6))
  add(what = one("sample.noreplace"), n = one(9L), size = one(1L), values = sample.int(9, 1))
  for (p in list(c(1, 1, 1, 1), c(0.1, 0.4, 0.1, 0.4, 0), c(3, 0, 0, 1, 2, 2, 2, 1, 5, 0, 1), 1))
    add(what = one("sample.prob"), prob = as.numeric(p), size = one(8L),
        values = vapply(1:8, function(i) sample.int(length(p), 1, prob = p), 1L))
  long <- (1:300 * 37) %% 101 + 1
  add(what = one("sample.prob"), prob = as.numeric(long), size = one(8L),
      values = vapply(1:8, function(i) sample.int(300, 1, prob = long), 1L))
  for (p in list(c(3, 0, 0, 1, 2, 2, 2, 1, 5, 0, 1), long))
    add(what = one("sample.prob.replace"), prob = as.numeric(p), size = one(8L), values = sample.int(length(p), 8, TRUE, p))
  add(what = one("rnorm"), size = one(6L), values = rnorm(6))
  add(what = one("runif"), size = one(2L), values = runif(2))
  list(seed = one(as.integer(seed)), calls = calls)
}
save(list(versions = versions, note = one(paste("sample.prob: single draws sample.int(n, 1, prob = p), repeated; sample.prob.replace:",
  "sample.int(n, size, TRUE, p), where the 300 weights take Walker's alias path because more than 200 entries have n * p > 0.1")),
  streams = lapply(c(0, 1, 42, 77, 8564, 2026, -5, 2147483647), stream)), "rng")

# ---- syn() step by step
column <- function(x) {
  kind <- class(x)[1]
  values <- if (is.factor(x)) unname(as.character(x)) else unname(unclass(x))
  c(list(type = one(if (kind == "numeric") "double" else kind)), if (is.factor(x)) list(levels = levels(x)), list(values = values))
}
frame_json <- function(d) lapply(d, column)

split_json <- function(fit, row) {
  s <- fit$splits[row, ]
  var <- rownames(fit$splits)[row]
  cut <- if (abs(s[["ncat"]]) >= 2) list(directions = as.integer(fit$csplit[s[["index"]], seq_len(s[["ncat"]])]) - 2L)
         else list(point = one(s[["index"]]), below = one(as.integer(s[["ncat"]])))
  c(list(variable = one(var), improve = one(s[["improve"]])), cut)
}
tree_json <- function(fit) {
  f <- fit$frame
  at <- 1
  nodes <- list()
  for (i in seq_len(nrow(f))) {
    node <- list(number = one(as.integer(row.names(f)[i])), n = one(as.integer(f$n[i])), deviance = one(f$dev[i]),
                 complexity = one(f$complexity[i]))
    if (!is.null(f$yval2)) node$counts <- as.numeric(f$yval2[i, 1 + seq_along(attr(fit, "ylevels"))])
    if (f$var[i] != "<leaf>") {
      node$primary <- split_json(fit, at)
      if (f$nsurrogate[i] > 0) node$surrogates <- lapply(at + f$ncompete[i] + seq_len(f$nsurrogate[i]), function(r) split_json(fit, r))
      at <- at + 1 + f$ncompete[i] + f$nsurrogate[i]
    }
    nodes[[i]] <- node
  }
  list(method = one(fit$method), predictors = attr(fit$terms, "term.labels"),
       levels = attr(fit, "ylevels"),
       control = lapply(fit$control, function(v) one(as.numeric(v))), nodes = nodes,
       leaf = as.integer(row.names(f))[fit$where])
}
record <- function(name, d, call) {
  made <- NULL
  said <- capture.output(made <- suppressWarnings(eval(call)))
  sets <- if (made$m == 1) list(made$syn) else made$syn
  fits <- if (made$m == 1) made$models else made$models[[1]]
  steps <- lapply(fits, function(f) if (inherits(f, "rpart")) tree_json(f) else one(as.character(f)))
  save(list(versions = versions, call = one(paste(deparse(call, width.cutoff = 500), collapse = " ")),
    note = one(paste("d is input. steps: for each variable the tree of the first synthesis (a numeric variable split by syn() appears as <name>.NA and,",
      "for its values, <name>); directions -1 left, 1 right, 0 level absent from the node; leaf is the leaf number of each training row.")),
    visit = names(made$visit.sequence), method = as.list(setNames(lapply(made$method, one), names(made$method))),
    input = frame_json(d), steps = steps, output = lapply(sets, frame_json)), name)
}
# what is asked stands in syn_cases/recorded.jsonl; here are the data it is asked of
plain <- function(d) { rownames(d) <- NULL; d }
nine <- c("sex", "age", "region", "placesize", "depress", "income", "ls", "marital", "workab")
nine400 <- plain(SD2011[seq(1, 4800, 12), nine])
e <- esoph; names(e) <- c("agegp", "alcgp", "tobgp", "ncases", "ncontrols")
w <- plain(SD2011[seq(7, 2400, 12), c("smoke", "nociga", "edu", "bmi", "trust", "marital")])
w$smoke <- w$smoke == "YES"; w$trust <- as.character(w$trust); w$trust[5] <- NA; w$smoke[c(3, 9)] <- NA
inputs <- list(iris_3 = iris, airquality_4 = airquality, airquality_m2_4 = airquality, esoph_7 = e, esoph_proper_7 = e,
               nine400_8 = nine400, nine400_k_8 = nine400, types200_10 = w)

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)))
runner <- new.env()
sys.source(file.path(here, "run_case.R"), runner)  # for the arguments of a case
for (line in readLines(file.path(here, "syn_cases", "recorded.jsonl"), encoding = "UTF-8")) {
  case <- jsonlite::fromJSON(line, simplifyVector = FALSE)
  name <- case$data$syn_input
  arguments <- c(runner$decode_args(case$args), list(models = TRUE, print.flag = FALSE))
  record(name, inputs[[name]], as.call(c(quote(syn), quote(d), arguments)))
}
