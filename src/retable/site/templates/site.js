// Tables sort by their headings and filter by the fields above them; without scripts everything stays readable.
"use strict";

const valueOf = (cell) => {
  const text = (cell?.dataset.value ?? cell?.textContent ?? "").trim().replace(/,/g, "");
  const units = { K: 1e3, M: 1e6, G: 1e9 };
  const found = text.match(/^([+-]?\d+(?:\.\d+)?)(?:\s([KMG])\b)?/);
  return found ? Number(found[1]) * (units[found[2]] ?? 1) : text.toLowerCase();
};

const compare = (one, other) => {
  const kinds = [typeof one, typeof other];
  if (kinds[0] !== kinds[1]) return kinds[0] === "number" ? -1 : 1;
  return kinds[0] === "number" ? one - other : one.localeCompare(other);
};

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, at) => {
    if ("unsorted" in head.dataset) return;
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", `sort by ${head.textContent.trim()}`);
    const link = head.querySelector("a");
    if (link) { button.textContent = ""; head.append(button); } else { button.append(...head.childNodes); head.append(button); }
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((each) => each.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = table.tBodies[0];
      const rows = [...body.rows].map((row) => [valueOf(row.cells[at]), row]);
      const filled = rows.filter(([value]) => value !== "" && value !== "–");
      const empty = rows.filter(([value]) => value === "" || value === "–");
      filled.sort((one, other) => (down ? -1 : 1) * compare(one[0], other[0]));
      body.append(...[...filled, ...empty].map(([, row]) => row));
    });
  });
}

const keyed = (row, select) => row.dataset[select.dataset.key] ?? select.dataset.usual;  // the usual value is not written

function filterable(panel) {
  const table = panel.nextElementSibling.querySelector("table");
  const rows = [...table.tBodies[0].rows];
  const text = panel.querySelector("[data-text]");
  const selects = [...panel.querySelectorAll("select")];
  for (const select of selects) {
    const values = [...new Set(rows.map((row) => keyed(row, select)))].filter(Boolean).sort();
    select.append(...values.map((value) => new Option(value, value)));
    select.parentElement.hidden = values.length < 2;
    if (values.includes(select.dataset.first)) select.value = select.dataset.first;
  }
  const show = () => {
    const wanted = text?.value.toLowerCase() ?? "";
    let count = 0;
    for (const row of rows) {
      const fits = selects.every((each) => !each.value || keyed(row, each) === each.value);
      row.hidden = !(fits && row.textContent.toLowerCase().includes(wanted));
      count += row.hidden ? 0 : 1;
    }
    panel.querySelector("[data-count]").textContent = `${count} of ${rows.length} ${panel.dataset.filters}`;
  };
  panel.addEventListener("input", show);
  show();
}

function opened() {
  const place = document.getElementById(location.hash.slice(1));
  const closed = place?.closest("details:not([open])");
  if (closed) { closed.open = true; place.scrollIntoView(); }
}
window.addEventListener("hashchange", opened);
opened();
const reachable = () => document.querySelectorAll(".wide, pre").forEach((box) => { if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; });
document.querySelectorAll("details").forEach((each) => each.addEventListener("toggle", reachable));  // no width while closed
reachable();
document.querySelectorAll("table.sortable").forEach(sortable);
document.querySelectorAll("[data-filters]").forEach(filterable);
