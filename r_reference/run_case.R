# One runner for the recorder and the live harness: a case (FORMATS.md) in, everything R answers out.
# Source json.R, frames.R and data_files.R first; `fixture_dir` says where the data files are.

set_collation <- function(name) {
  if (!capabilities("ICU")) stop("this R was built without ICU; recorded results need an R that sorts with ICU")
  icuSetCollate(locale = switch(name, icu = "root", C = "ASCII", stop("unknown collation: ", name)))
}

cache <- new.env()

from_cache <- function(key, make) {
  if (is.null(cache[[key]])) assign(key, make(), envir = cache)
  cache[[key]]
}

build_frame <- function(spec, fixture_dir) {
  if (!is.null(spec$dataset)) {
    frame <- from_cache(spec$dataset, function() read_data_file(spec$dataset, fixture_dir))
  } else if (!is.null(spec$synthesis)) {
    object <- from_cache(spec$synthesis, function() read_synthesis(spec$synthesis, fixture_dir))
    frame <- if (object$m == 1) object$syn else object$syn[[spec$set]]
  } else if (!is.null(spec$syn_input)) {
    frame <- from_cache(paste0("syn/", spec$syn_input), function() read_syn_input(spec$syn_input, fixture_dir))
  } else return(frame_from_spec(spec))
  if (!is.null(spec$rows)) frame <- frame[spec$rows[[1]]:spec$rows[[2]], , drop = FALSE]
  if (!is.null(spec$columns)) frame <- frame[unlist(spec$columns)]
  frame
}

# what went into a recorded call of syn()
read_syn_input <- function(name, fixture_dir) {
  columns <- jsonlite::fromJSON(file.path(dirname(fixture_dir), "syn", paste0(name, ".json")), simplifyVector = FALSE)$input
  frame_from_spec(list(columns = Map(function(column, title) c(list(name = title), column), columns, names(columns))))
}

build_object <- function(spec, data, fixture_dir) {
  if (is.null(spec)) return(NULL)
  frames <- lapply(spec$frames, build_frame, fixture_dir = fixture_dir)
  if (!is.null(spec$synthesis)) {
    object <- from_cache(spec$synthesis, function() read_synthesis(spec$synthesis, fixture_dir))
    if (spec$as == "synds") return(object)
    frames <- if (object$m == 1) list(object$syn) else object$syn
  }
  switch(spec$as,
    synds = as_synds(frames, data, spec$cont_na),
    frame = frames[[1]],
    list = if (is.null(spec$names)) frames else setNames(frames, unlist(spec$names)),
    stop("unknown kind of object: ", spec$as))
}

as_synds <- function(frames, data, cont_na) {
  special <- setNames(as.list(rep(NA, ncol(data))), names(data))
  for (v in names(cont_na)) special[[v]] <- as.numeric(unlist(cont_na[[v]]))
  m <- length(frames)
  structure(list(syn = if (m == 1) frames[[1]] else frames, m = m, cont.na = special,
                 n = nrow(data), k = nrow(frames[[1]])), class = "synds")
}

decode_arg <- function(x) {
  if (is.null(x)) return(NULL)
  if (is.list(x) && !is.null(names(x))) {
    if ("na" %in% names(x)) return(NA)
    if ("list" %in% names(x)) return(lapply(x$list, decode_arg))
    if ("named" %in% names(x)) return(lapply(x$named, decode_arg))
    if ("matrix" %in% names(x)) return(do.call(rbind, lapply(x$matrix, decode_arg)))
  }
  if (length(x) == 0) return(character(0))
  x <- lapply(x, function(v) if (is.null(v)) NA else if (is.integer(v)) as.double(v) else v)
  unlist(x)
}

decode_args <- function(args) {
  out <- list()
  for (name in names(args)) out[name] <- list(decode_arg(args[[name]]))
  out
}

# What the call needs, built before R's answer is awaited: an error of ours must not be taken for a refusal of R's.
call_arguments <- function(case, fixture_dir) {
  data <- build_frame(case$data, fixture_dir)
  object <- build_object(case$object, data, fixture_dir)
  first <- if (case$call %in% c("numtocat.syn", "mergelevels.syn", "syn")) list(data) else list(object, data)
  c(first, decode_args(case$args))
}

table_fields <- function(x) {
  x <- as.data.frame(x, optional = TRUE)
  list(index = rownames(x), columns = names(x), values = unname(lapply(x, identity)))
}

is_flagged <- function(x) is.data.frame(x)

check_list <- function(x) {
  if (is_flagged(x)) x <- list(x)
  lapply(x, function(one_set) if (is_flagged(one_set)) table_fields(one_set) else NULL)
}

# R keeps a sentence; what it states is a level, or a number of pairs.
check1_fact <- function(r) if (identical(r$check1, "")) NULL else sub(paste0("Check  ", r$target, "  level  "), "", r$check1, fixed = TRUE)
check2_fact <- function(r) if (identical(r$check2, "")) NULL else as.numeric(sub(" .*", "", r$check2))

describe_disclosure <- function(r) {
  fields <- list(ident = table_fields(r$ident), attrib = table_fields(r$attrib), allCAPs = table_fields(r$allCAPs))
  if (!is.null(r$attrib_denoms)) fields$attrib_denoms <- table_fields(r$attrib_denoms)
  c(fields, list(
    check_1way = check_list(r$check_1way), check_2way = check_list(r$check_2way),
    check1 = one(check1_fact(r)), check2 = one(check2_fact(r)),
    Nexclusions = lapply(r$Nexclusions, table_fields),
    keys = r$keys, target = one(r$target), Norig = one(r$Norig), digits = one(r$digits), to_print = r$to.print))
}

describe_multi <- function(r) {
  list(attrib_table = table_fields(r$attrib.table), ident_orig = r$ident.orig, ident_syn = r$ident.syn,
       keys = r$keys, Norig = one(r$Norig), m = one(r$m), digits = one(r$digits), denom_lim = one(r$denom_lim),
       exclude_ov_denom_lim = one(r$exclude_ov_denom_lim), ident_meas = one(r$ident.meas), attrib_meas = one(r$attrib.meas),
       usekeysNA = r$usekeysNA, usetargetsNA = r$usetargetsNA,
       plot_data = table_fields(r$attrib.plot$data[c("name", "VALUE", "measure")]),
       output_list = lapply(unclass(r$output.list), describe_disclosure))
}

describe_uniques <- function(r) {
  tables <- if (is.list(r$res_tab)) r$res_tab else list(r$res_tab)
  where <- function(x) lapply(seq_len(NCOL(x)), function(i) which(as.matrix(x)[, i]))
  list(m = one(r$m), n = one(r$n), k = one(r$k), keys = r$keys, res_tab = lapply(tables, table_fields),
       repU_rm = where(r$repU.rm), synU_rm = where(r$synU.rm), rm_rows = one(NROW(r$repU.rm)))
}

describe_synds <- function(r) {
  frames <- if (r$m == 1) list(r$syn) else r$syn
  list(m = one(r$m), n = one(r$n), k = one(r$k), syn = lapply(frames, frame_to_json_list))
}

describe_syn <- function(r) {
  frames <- if (r$m == 0) list() else if (r$m == 1) list(r$syn) else r$syn
  list(m = one(r$m), method = lapply(as.list(r$method), one), visit_sequence = names(r$visit.sequence),
       predictor_matrix = table_fields(r$predictor.matrix), syn = lapply(frames, frame_to_json_list))
}

describe_numtocat <- function(r) {
  list(data = frame_to_json_list(r$data), breaks = r$breaks, levels = r$levels, orig = frame_to_json_list(as.data.frame(r$orig)),
       cont_na = r$cont.na, numtocat = r$numtocat, ind = r$ind)
}

describe_compare <- function(r) {
  list(syn = frame_to_json_list(as.data.frame(r$syn)), orig = frame_to_json_list(as.data.frame(r$orig)),
       needsfix = one(r$needsfix), unchanged = one(r$unchanged))
}

describe_frame_result <- function(r) list(data = frame_to_json_list(if (is.data.frame(r)) r else r$data))

describe <- function(call, r) {
  switch(call,
    disclosure = describe_disclosure(r), multi.disclosure = describe_multi(r), replicated.uniques = describe_uniques(r),
    sdc = describe_synds(r), syn = describe_syn(r), numtocat.syn = describe_numtocat(r), synorig.compare = describe_compare(r),
    mergelevels.syn = describe_frame_result(r), stop("unknown call: ", call))
}

# The lines of the printed tables: those with two or more numbers, and the heading above them. R's sentences are not recorded.
printed_tables <- function(result, arguments) {
  width <- options(width = 200)
  on.exit(options(width))
  lines <- capture.output(do.call(print, c(list(result), arguments), quote = TRUE))
  numbers <- vapply(strsplit(lines, "[[:space:]]+"), function(w) sum(grepl("^-?[0-9.]+(e[-+][0-9]+)?$|^(NaN|NA|Inf)$", w)), 0)
  rows <- numbers >= 2 & !grepl("syntheses$", lines)
  lines[rows | c(rows[-1], FALSE)]
}

# "refused": the package's own stop(); "crashed": an error from somewhere below, which no user could have foreseen.
run_case <- function(case, collation, fixture_dir) {
  set_collation(collation)
  set.seed(1)
  warnings <- 0
  quietly <- function(expr) { sink(nullfile()); on.exit(sink()); force(expr) }
  status <- "ok"
  arguments <- call_arguments(case, fixture_dir)
  result <- tryCatch(
    withCallingHandlers(quietly(do.call(case$call, arguments, quote = TRUE)),
      warning = function(w) { warnings <<- warnings + 1; invokeRestart("muffleWarning") }),
    error = function(e) { status <<- if (is.null(conditionCall(e))) "refused" else "crashed"; NULL })
  fields <- if (status == "ok") describe(case$call, result) else list()
  if (status == "ok" && !is.null(case$print)) fields$printed <- printed_tables(result, decode_args(case$print))
  c(list(status = one(status), warnings = one(warnings)), fields)
}

run_case_json <- function(case_json, collation, fixture_dir) {
  case <- jsonlite::fromJSON(case_json, simplifyVector = FALSE)
  paste0("{\"id\": ", json_string(case$id), ", \"collation\": ", json_string(collation),
         ", \"result\": ", to_json(run_case(case, collation, fixture_dir)), "}")
}

package_versions <- function(packages) {
  setNames(lapply(packages, function(p) one(as.character(packageDescription(p)$Version))), packages)
}

stamp_json <- function() {
  to_json(list(R = one(paste(R.version$major, R.version$minor, sep = ".")), platform = one(R.version$platform),
    packages = package_versions(c("synthpop", "classInt", "stringr", "forcats", "jsonlite")),
    ICU = one(unname(extSoftVersion()["ICU"])), ctype = one(Sys.getlocale("LC_CTYPE"))))
}
