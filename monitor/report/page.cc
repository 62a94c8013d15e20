#include "gyre/monitor/report/page.h"

#include "gyre/core/status.h"
#include "gyre/monitor/report/html.h"

namespace gyre::internal::inline monitor {
namespace {

constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--bg:#fdfdfc;--fg:#1b1f24;--dim:#59636e;
--line:#d4d8dd;--card:#f3f4f6;--c1:#0b63c5;--c2:#b3480b;--c3:#26762f;
--c4:#8250b8;--bad:#c21d2b;--tr:#e6a700;--pe:#e0701a;--di:#c21d2b;--mo:#6f7dd1;
--ev:#7a8490;--mid:#e8e8e6}
@media (prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e6e9ed;
--dim:#a0a9b4;--line:#363c44;--card:#1e2329;--c1:#6db3ff;--c2:#ff9d5c;
--c3:#6fcf7a;--c4:#c79bff;--bad:#ff6b76;--tr:#e0b23c;--pe:#f08a3c;--di:#ff6b76;
--mo:#95a3ff;--ev:#8c96a3;--mid:#2b2f35}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1060px;padding:1rem clamp(.8rem,3vw,2rem) 4rem;
background:var(--bg);color:var(--fg);line-height:1.5;
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
h1{font-size:1.5rem;margin:.4rem 0;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.2rem 0 .6rem;padding-bottom:.2rem;
border-bottom:1px solid var(--line)}
nav{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.9rem}
a{color:var(--c1)}
.small,.dim{color:var(--dim);font-size:.86rem}
p{margin:.4rem 0}
.tiles{display:grid;gap:.6rem;margin:1rem 0;
grid-template-columns:repeat(auto-fill,minmax(8.6rem,1fr))}
.tiles div{background:var(--card);border-radius:.5rem;padding:.5rem .7rem}
.tiles b{display:block;font-size:1.12rem;overflow-wrap:anywhere}
.tiles span{color:var(--dim);font-size:.8rem}
.warn{border-left:4px solid var(--bad);padding:.4rem .8rem;
background:var(--card);margin:.7rem 0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.88rem;width:100%}
caption{text-align:left;color:var(--dim);padding:.2rem 0}
th,td{text-align:left;padding:.28rem .7rem .28rem 0;vertical-align:top;
border-bottom:1px solid var(--line)}
td{overflow-wrap:break-word}
.r{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
th.r,td.r{padding-right:1rem}
td{min-width:3.2rem}td code{display:inline-block;min-width:12rem}
.spike{border-left:4px solid var(--ev);background:var(--card);
padding:.5rem .9rem;margin:.6rem 0;border-radius:0 .4rem .4rem 0}
.spike h3{font-size:1rem;margin:0}
.spike ul{margin:.2rem 0;padding-left:1.1rem;color:var(--dim);font-size:.88rem}
.spike.transient{border-color:var(--tr)}
.spike.persistent{border-color:var(--pe)}
.spike.divergent{border-color:var(--di)}
.spike.metric{border-color:var(--mo)}
.tag{display:inline-block;border-radius:.3rem;padding:0 .45rem;
white-space:nowrap;border:1px solid;font-size:.82rem}
.tag.transient{color:var(--tr)}.tag.persistent{color:var(--pe)}
.tag.divergent{color:var(--di)}.tag.metric{color:var(--mo)}
.tag.event{color:var(--dim)}
@media (prefers-color-scheme:light){.tag.transient{color:#7d5a00}
.tag.persistent{color:#9c4a08}.tag.metric{color:#4552a8}}
code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.88em;
overflow-wrap:anywhere}
figure{margin:1.2rem 0}
figcaption{margin:0 0 .3rem 3.4rem}
.plot{position:relative;height:230px;margin:0 .6rem 2.6rem 3.4rem}
.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:visible}
.plot svg *{vector-effect:non-scaling-stroke}
.line{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}
.line.c1{stroke:var(--c1)}.line.c2{stroke:var(--c2)}.line.c3{stroke:var(--c3)}
.line.c4{stroke:var(--c4)}.line.faint{stroke:var(--dim);opacity:.55;
stroke-width:1}
.bad{stroke:var(--bad);stroke-width:2.5;fill:none}
.grid{stroke:var(--line);stroke-width:1;fill:none}
.mark{opacity:.28}
.mark.transient{fill:var(--tr)}.mark.persistent{fill:var(--pe)}
.mark.divergent{fill:var(--di)}.mark.metric{fill:var(--mo)}
.mark.event{fill:var(--ev)}
.ys span,.xs span,.xs b{position:absolute;color:var(--dim);font-size:.76rem;
line-height:1;font-variant-numeric:tabular-nums;font-weight:400}
.ys span{right:calc(100% + .45rem);transform:translateY(-50%)}
.xs span{top:calc(100% + .45rem);transform:translateX(-50%)}
.xs b{top:calc(100% + 1.4rem);right:0}
.legend{display:flex;flex-wrap:wrap;gap:.1rem 1rem;font-size:.84rem}
.legend i{display:inline-block;width:1.1rem;height:.22rem;margin-right:.35rem;
vertical-align:middle;border-radius:2px}
i.c1{background:var(--c1)}i.c2{background:var(--c2)}i.c3{background:var(--c3)}
i.c4{background:var(--c4)}i.faint{background:var(--dim);opacity:.6}
.tip{position:absolute;top:0;pointer-events:none;background:var(--card);
border:1px solid var(--line);border-radius:.3rem;padding:.15rem .5rem;
font-size:.8rem;white-space:nowrap;font-variant-numeric:tabular-nums}
.plot .hair{position:absolute;top:0;bottom:0;width:1px;background:var(--dim);
pointer-events:none}
.heat div{display:flex;align-items:center;gap:.6rem;margin:1px 0}
.heat div span{flex:0 0 9.5rem;overflow:hidden;text-overflow:ellipsis;
white-space:nowrap;font-size:.8rem;text-align:right}
.heat svg{flex:1 1 auto;height:15px;min-width:0}
.heat figcaption{margin-left:0}
.h0{fill:#08519c}.h1{fill:#2171b5}.h2{fill:#4292c6}.h3{fill:#6baed6}
.h4{fill:#9ecae1}.h5{fill:#cfe3f0}.h6{fill:var(--mid)}.h7{fill:#fbdac6}
.h8{fill:#fcae91}.h9{fill:#fb8a6a}.h10{fill:#f0553d}.h11{fill:#d7261f}
.h12{fill:#a50f15}.hx{fill:var(--fg)}
.ramp{display:inline-block;width:7rem;height:.7rem;vertical-align:middle;
background:linear-gradient(90deg,#08519c,#9ecae1,var(--mid),#fcae91,#a50f15)}
.ramp.half{background:linear-gradient(90deg,var(--mid),#fcae91,#a50f15)}
.maps{display:grid;gap:0 1.2rem;
grid-template-columns:repeat(auto-fill,minmax(min(19rem,100%),1fr))}
.maps svg{display:block;width:100%;aspect-ratio:1.25;border:1px solid
var(--line)}
.maps figcaption{margin-left:0}
.bars{display:grid;grid-template-columns:minmax(4rem,max-content) 1fr 4.4rem;
gap:.3rem .8rem;align-items:center;font-size:.9rem}
.bars .bar{position:relative;height:1.25rem;background:var(--card)}
.bars .bar i{position:absolute;top:10%;height:36%;border-radius:2px}
.bars .bar i.b2{top:54%}
.bars .bar u{position:absolute;top:-.1rem;bottom:-.1rem;width:1px;
background:var(--fg)}
details{margin:.8rem 0}summary{cursor:pointer}
pre{overflow:auto;background:var(--card);padding:.7rem;border-radius:.4rem;
font-size:.8rem;max-height:28rem}
@media (max-width:560px){.plot{height:190px}.heat div span{flex-basis:6rem}
body{font-size:15px}}
@media print{.tip{display:none}}
)css";

// The values at the pointer: of each line, the point that is nearest.
constexpr std::string_view kScript = R"js(
for (const plot of document.querySelectorAll(".plot")) {
  const lines = JSON.parse(plot.querySelector("script").textContent);
  const tip = plot.querySelector(".tip");
  const hair = document.createElement("div");
  hair.className = "hair";
  hair.hidden = true;
  plot.append(hair);
  const hide = () => { tip.hidden = hair.hidden = true; };
  const show = (event) => {
    const box = plot.getBoundingClientRect();
    const at = (event.clientX - box.left) / box.width;
    let step = "";
    const parts = [];
    for (const line of lines) {
      let best = null;
      for (const point of line.points) {
        const nearer = !best || Math.abs(point[0] - at) <
            Math.abs(best[0] - at);
        if (nearer) best = point;
      }
      if (!best) continue;
      step = best[1];
      parts.push(line.name + " " + best[2]);
    }
    if (at < 0 || at > 1 || parts.length === 0) return hide();
    tip.textContent = step + ": " + parts.slice(0, 4).join(", ");
    tip.hidden = hair.hidden = false;
    hair.style.left = 100 * at + "%";
    const room = box.width - tip.offsetWidth;
    tip.style.left = Math.max(0, Math.min(at * box.width + 8, room)) + "px";
  };
  plot.addEventListener("pointermove", show);
  plot.addEventListener("pointerdown", show);
  plot.addEventListener("pointerleave", hide);
}
)js";

}  // namespace

std::string Page(std::string_view title, std::string_view body) {
  return Cat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>",
      Escaped(title),
      "</title>\n<style>",
      kStyle,
      "</style>\n</head>\n<body>\n",
      body,
      "<script>",
      kScript,
      "</script>\n</body>\n</html>\n");
}

}  // namespace gyre::internal::inline monitor
