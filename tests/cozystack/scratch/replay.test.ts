import { readFileSync } from "node:fs";
import { test } from "vitest";
import { parseJson } from "@slipway/objects";
import { startPlatform } from "../platform.ts";
import { comparable } from "../recording.ts";
const files = (process.env.FILES ?? "metadata names json update root-tenant patch delete dry-run list defaults workloads errors shared-labels").split(" ");
test("replay", async () => {
  for (const f of files) {
    const p = await startPlatform({ namespaces: ["tenant-root", "cozy-system"], nameSuffix: () => Math.random().toString(36).slice(2, 7) });
    const map = new Map<string, string>();
    const lines = readFileSync(`/work/shared/data/cozystack-recordings/${f}.jsonl`, "utf8").trim().split("\n").map((l) => JSON.parse(l));
    let same = 0;
    for (const l of lines) {
      const r = l.request;
      if (r.to === "aggregator" || r.path.includes("watch=true") || (r.body && typeof r.body === "object" && "$omitted" in r.body)) continue;
      let body = r.body === undefined ? undefined : typeof r.body === "string" ? r.body : JSON.stringify(r.body);
      let path = r.path;
      for (const [k, v] of map) { if (body && k.length > 20) body = body.replaceAll(k, v); else if (body) body = body.replaceAll(`"resourceVersion":"${k}"`, `"resourceVersion":"${v}"`); }
      const headers: any = {}; for (const [k, v] of Object.entries(r.headers ?? {})) if (v !== null) headers[k] = v;
      let res; try { res = await p.request(r.method, path, { headers, ...(body === undefined ? {} : { body }) }); } catch (e) { console.log(f, l.id, "THREW", (e as Error).message, (e as any).cause?.stack?.slice(0,600)); continue; }
      let ours: any; try { ours = JSON.parse(res.text); } catch { ours = res.text; }
      const theirs = l.response.body;
      const learn = (a: any, b: any) => { if (!a || !b || typeof a !== "object" || typeof b !== "object") return; for (const k of Object.keys(a)) { if ((k === "uid" || k === "resourceVersion") && typeof a[k] === "string" && typeof b[k] === "string") map.set(a[k], b[k]); else learn(a[k], b[k]); } };
      learn(theirs, ours);
      if (r.to === "backend") { if (res.status !== l.response.status) console.log(f, l.id, "BACKEND", res.status, res.text.slice(0, 300)); continue; }
      const a = res.status + comparable(ours ?? null), b = l.response.status + comparable(theirs ?? null);
      if (a === b) { same++; } else {
        const msg = (s: any) => s && typeof s === "object" && s.kind === "Status" ? `${s.message} [${s.reason}] ${JSON.stringify(s.details)}` : JSON.stringify(s);
        console.log(`${f}:${l.id} | ${l.about}\n   theirs ${l.response.status} ${msg(theirs)?.slice(0, 420)}\n   ours   ${res.status} ${msg(ours)?.slice(0, 420)}`);
      }
      if (l.effect && "helmRelease" in l.effect && l.effect.helmRelease && res.status < 300) {
        const hr = l.effect.helmRelease; const live: any = await p.client.get({ group: "helm.toolkit.fluxcd.io", version: "v2", kind: "HelmRelease", namespace: hr.metadata.namespace, name: hr.metadata.name });
        if (live) { const { managedFields, ...m } = live.metadata; const strip=(o:any)=>({spec:o.spec,labels:o.metadata.labels,annotations:o.metadata.annotations,finalizers:o.metadata.finalizers}); const x = JSON.stringify(strip(live), (k,v)=> typeof v==='bigint'?Number(v):v), y = JSON.stringify(strip(hr)); const so=(t:string)=>JSON.stringify(JSON.parse(t), (k,v)=> v&&typeof v==='object'&&!Array.isArray(v)?Object.fromEntries(Object.entries(v).sort()):v); if (so(x) !== so(y)) console.log(`${f}:${l.id} EFFECT\n   theirs ${so(y)}\n   ours   ${so(x)}`); }
        else console.log(`${f}:${l.id} EFFECT missing`);
      }
    }
    console.log(`== ${f}: ${same} same of ${lines.length}`);
    await p[Symbol.asyncDispose]();
  }
}, 200000);
