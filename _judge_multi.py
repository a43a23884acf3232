import collections, traceback, warnings
warnings.simplefilter("ignore")
import synthpop_py as M
import tests.parity.test_recorded_multi as t
from synthpop_py import InputError
def fixed(*a, **k):
    k.pop("max_cells",None); return M.multi_disclosure(*a, **k)
t.multi_disclosure=fixed
recs={v:t.load_records(v) for v in t.versions()}
cnt=collections.Counter()
for case in t.CASES:
    for v in t.versions():
        rec=recs[v][f"{case['id']} [icu]"]["result"]
        try:
            if rec["status"]=="ok":
                f=t.multi_differences(rec,t.run_multi(case,t.MODES[v])); cnt["ok" if not f else "BAD"]+=1
                if f: print(case["id"],v,f[:3])
            elif case["id"] in t.ANSWERED: t.run_multi(case,t.MODES[v]); cnt["answered"]+=1
            else:
                try: t.run_multi(case,t.MODES[v]); cnt["BAD answered"]+=1; print(case["id"],"answered")
                except InputError: cnt["refused"]+=1
        except Exception:
            cnt["EXC"]+=1; print(case["id"],v,traceback.format_exc().strip().splitlines()[-4:])
print(cnt)
