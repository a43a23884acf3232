"""quick judge: recorded disclosure for both versions, oracle"""
import sys, collections, traceback, warnings, functools
import synthpop_py as D
import tests.parity.port_side as ps
from synthpop_py import MISSING, InputError
warnings.simplefilter("ignore")
def fixed(*t, **a):
    a.pop("max_cells",None)
    return D.disclosure(*t, **a)
ps.disclosure=fixed
from r_reference.case_maker.files import read_all
from r_reference.records import load_records, versions
from tests.parity.compare import differences
from tests.parity.oracle_side import disagreements, oracle_result
import tests.parity.test_recorded as tr
want=sys.argv[1:] or ["port"]
recs={v:load_records(v) for v in versions()}
cnt=collections.Counter(); bad=[]
only=[a[5:] for a in want if a.startswith("only=")]
for case in (tr.EVERY_CASE if "slow" in want else tr.CASES):
    if only and not any(o in case["id"] for o in only): continue
    if "port" in want:
        for v in versions():
            for col in case.get("collation",["icu"]):
                res=recs[v][f"{case['id']} [{col}]"]["result"]
                try:
                    if res["status"]!="ok" or case["id"] in tr.REFUSED_BY_PORT_ONLY|tr.NO_TIBBLES_IN_PYTHON:
                        try: ps.run_port(case,"icu",tr.MODES[v]); answered=True
                        except InputError: answered=False
                        ok = not answered if case["id"] in tr.REFUSED_BY_PORT_ONLY else (res["status"]!="refused" or not answered or tr.refusal_is_a_defect(case))
                        cnt["unanswered ok" if ok else "unanswered BAD"]+=1
                        if not ok: bad.append((case["id"],v,"answered"))
                        continue
                    f=tr.port_differences(res, ps.run_port(case,col,tr.MODES[v]))
                    cnt["ok" if not f else "BAD"]+=1
                    if f: bad.append((case["id"],v,col,f[:3]))
                except Exception as e:
                    cnt["EXC"]+=1; bad.append((case["id"],v,col,traceback.format_exc().strip().splitlines()[-5:]))
    if "oracle" in want and case in tr.JUDGED:
        try:
            try: ans=ps.run_port(case,compat="corrected")
            except InputError: cnt["orefused"]+=1; continue
            try: mine=oracle_result(case,"corrected")
            except NotImplementedError: cnt["unjudged"]+=1; continue
            f=disagreements(tr.as_oracle_labels(tr.as_record(ans)),mine,"1.9-3")
            cnt["oracle ok" if not f else "oracle BAD"]+=1
            if f: bad.append((case["id"],"oracle",f[:3]))
        except Exception:
            cnt["oEXC"]+=1; bad.append((case["id"],"oracle",traceback.format_exc().strip().splitlines()[-5:]))
    if "named" in want:
        try: r,c=ps.run_port(case),ps.run_port(case,compat="corrected")
        except InputError: continue
        except Exception: continue
        same=not differences(tr.as_record(r),tr.as_record(c))
        col=case.get("collation",["icu"])[0]
        rec=recs["1.9-3"][f"{case['id']} [{col}]"]["result"]
        if rec["status"]=="ok" and tr.has_rows_of_na(rec): same=False
        ok=bool(r.defects)==(not same) and (r.corrected is not None)==bool(r.defects)
        cnt["named ok" if ok else "named BAD"]+=1
        if not ok: bad.append((case["id"],"named",same,[d.id for d in r.defects]))
print(cnt)
for b in bad[:int([a for a in want if a.isdigit()][0]) if any(a.isdigit() for a in want) else 25]: print(b)
