/**
 * An invoice. Amounts and dates are texts that the caller formats. All values are optional.
 *
 * @typedef {{ name?: string, address?: string | string[], email?: string, phone?: string, vatNumber?: string }} Party
 * @typedef {{ description?: string, details?: string, quantity?: string, price?: string, amount?: string }} Line
 * @typedef {{
 *   number?: string, date?: string, due?: string, reference?: string, logo?: string,
 *   seller?: Party & { registration?: string }, customer?: Party, lines?: Line[],
 *   subtotal?: string, vat?: string, vatRate?: string, total?: string,
 *   payment?: { label: string, value: string }[], note?: string,
 * }} Invoice
 * `logo` is an SVG text, a data: URL, or the name of a file in the image folder.
 */

/** @type {Invoice} */
export const sample = {
  number: "2026-0118",
  date: "21 November 2026",
  due: "21 December 2026",
  seller: { name: "Brönte & Łoś Studio", address: "Edinburgh" },
  customer: { name: "Αθηνά Α.Ε.", address: "Ερμού 42, Αθήνα" },
  lines: [{ description: "Café menu", quantity: "2", price: "£320.00", amount: "£640.00" }],
  subtotal: "£640.00",
  vat: "£128.00",
  total: "£768.00",
};

const muted = "#5d6b7a";
const accent = "#14496b";
const hairline = "#d5dce3";
const margin = 48;
const width = 595.28 - 2 * margin;
const fontSize = 9.5;
const figureNames = ["quantity", "price", "amount"];

/** @param {Invoice} values */
export default function invoice(values) {
  const seller = values.seller ?? {};
  const customer = values.customer ?? {};
  const title = `Invoice ${short(values.number)}`.trim();

  return {
    pageSize: "A4",
    pageMargins: [margin, 78, margin, 68],
    language: "en-GB",
    info: { title, author: text(seller.name) },
    defaultStyle: { font: "Roboto", fontSize, lineHeight: 1.2, color: "#1b2733" },
    styles: {
      company: { fontSize: 15, bold: true, color: accent, lineHeight: 1.1 },
      title: { fontSize: 21, color: accent, alignment: "right", lineHeight: 1, characterSpacing: 2 },
      label: { fontSize: 7.5, color: muted, characterSpacing: 0.6 },
      head: { fontSize: 7.5, color: accent, characterSpacing: 0.6, bold: true },
      right: { alignment: "right" },
      small: { fontSize: 8.5, color: muted },
      due: { fontSize: 13, bold: true, color: accent },
    },
    background: (page) => ({
      canvas: [{ type: "rect", x: 0, y: 0, w: width + 2 * margin, h: page === 1 ? 7 : 3, color: accent }],
    }),
    header: (page) => (page === 1 ? "" : laterHead(seller, customer, title)),
    footer: (page, pages) => foot(seller, `${title}  ·  Page ${page} of ${pages}`),
    content: [letterhead(values.logo, seller), addressAndFacts(customer, values), body(values)],
  };
}

/** Starts above the margin, because the margin has room for the header of the later pages. */
function letterhead(logo, seller) {
  const contact = [list(seller.address), [text(seller.email), text(seller.phone)]];
  const picture = text(logo).startsWith("<svg") ? { svg: logo } : { image: logo };
  return {
    margin: [0, -32, 0, 34],
    columnGap: 14,
    columns: [
      ...(logo ? [{ width: "auto", ...picture, fit: [150, 42] }] : []),
      {
        width: "*",
        stack: [
          { ...flowing(seller.name), style: "company", margin: [0, 0, 0, 2] },
          ...contact.map((parts) => ({ ...flowing(joined(parts)), style: "small" })),
        ],
      },
      { width: 130, text: "INVOICE", style: "title" },
    ],
  };
}

function laterHead(seller, customer, title) {
  return {
    margin: [margin, 38, margin, 0],
    columnGap: 24,
    columns: [
      { width: "*", ...flowing(short(seller.name)), style: "small", bold: true, color: accent },
      { width: "*", ...flowing(joined([title, short(customer.name)])), style: ["small", "right"] },
    ],
  };
}

function foot(seller, pageOfPages) {
  const legal = [short(seller.registration, 150), seller.vatNumber ? `VAT no. ${seller.vatNumber}` : ""];
  const line = { type: "line", x1: 0, y1: 0, x2: width, y2: 0, lineWidth: 0.5, lineColor: hairline };
  return {
    margin: [margin, 14, margin, 0],
    stack: [
      { canvas: [line], margin: [0, 0, 0, 7] },
      {
        columnGap: 24,
        columns: [
          { width: "*", ...flowing(joined([short(seller.name), ...legal])), style: "small" },
          { width: "auto", text: pageOfPages, noWrap: true, style: "small" },
        ],
      },
    ],
  };
}

function addressAndFacts(customer, { number, date, due, reference, total }) {
  const billedTo = [
    { ...flowing(customer.name), bold: true, fontSize: 11, margin: [0, 0, 0, 2] },
    ...list(customer.address).map(flowing),
    { ...flowing(customer.email), color: muted },
    { text: customer.vatNumber ? `VAT no. ${customer.vatNumber}` : "", color: muted },
  ].filter((line) => line.text !== "");
  const facts = [
    ["Invoice number", number],
    ["Invoice date", date],
    ["Payment due", due],
    ["Your reference", reference],
    ["Amount due", total, { bold: true, color: accent }],
  ];
  return {
    margin: [0, 0, 0, 26],
    columnGap: 32,
    columns: [
      { width: "*", stack: billedTo.length > 0 ? [label("BILLED TO"), ...billedTo] : [] },
      sideTable(facts, {
        hLineWidth: (row, { table }) => (row > 0 && row < table.body.length ? 0.5 : 0),
        paddingTop: (row) => (row === 0 ? 0 : 4),
      }),
    ],
  };
}

function body(values) {
  const lines = values.lines ?? [];
  const payment = (values.payment ?? []).filter((row) => text(row.label) + text(row.value) !== "");
  const paymentTexts = payment.flatMap((row) => [text(row.label), text(row.value)]);
  const note = text(values.note);
  const isShort = rowsOf(paymentTexts, 110) <= 16 && rowsOf([note], width) <= 8;
  const left = { width: "*", stack: isShort ? howToPay(payment) : [], margin: [0, 3, 0, 0] };
  const sums = { columns: [left, sumTable(values)], columnGap: 32, margin: [0, 12, 0, 0] };
  const closing = [isShort ? [] : howToPay(payment), note === "" ? [] : [label("NOTE"), flowing(note)]]
    .filter((stack) => stack.length > 0)
    .map((stack) => ({ stack, margin: [0, 22, 0, 0] }));
  const end = isShort ? [sums, ...closing] : [sums];
  return [lines.length > 0 ? lineTable(lines, end) : end, isShort ? [] : closing];
}

/** Keeps the last lines and the sums in the last row, so that a page break does not separate them. */
function lineTable(lines, sums) {
  const figures = figureNames.map((name) => figureWidth(lines, name));
  const widths = ["*", ...figures];
  const described = figures.reduce((rest, figure) => rest - figure - 16, width);
  const heights = lines.map((line) => rowsOf([text(line.description), text(line.details)], described));
  const [beforeLast = 0, last = 0] = [0, ...heights].slice(-2);
  const kept = last + beforeLast <= 24 ? 2 : last <= 24 ? 1 : 0;
  const rows = lines.map(lineRow);
  const keptRows = rows.splice(-kept, kept);
  const end = kept > 0 ? [{ table: { widths, body: keptRows }, layout: lineLayout }, ...sums] : sums;
  const head = ["DESCRIPTION", "QUANTITY", "UNIT PRICE", "AMOUNT"].map((name, column) => ({
    ...label(name),
    style: column === 0 ? "head" : ["head", "right"],
  }));
  // pdfmake truncates an unbreakable block that is higher than a page.
  const isLow = heights.every((height) => height <= 28);
  const isLine = (row, { table }) => row > 0 && row < table.body.length - 1;
  return {
    table: {
      headerRows: 1,
      keepWithHeaderRows: isLow ? 1 : 0,
      dontBreakRows: isLow,
      widths,
      body: [head, ...rows, [{ stack: end, unbreakable: true, colSpan: 4 }, "", "", ""]],
    },
    layout: {
      ...lineLayout,
      hLineWidth: (row, { table }) => (row === 1 ? 1 : row > 1 && row < table.body.length ? 0.5 : 0),
      hLineColor: (row) => (row === 1 ? accent : hairline),
      paddingTop: (row, node) => (isLine(row, node) ? 5.5 : 0),
      paddingBottom: (row, node) => (isLine(row, node) ? 3 : 0),
    },
  };
}

function lineRow(line) {
  const description = flowing(line.description);
  return [
    line.details ? { stack: [description, { ...flowing(line.details), style: "small" }] } : description,
    ...figureNames.map((name) => figure(line[name])),
  ];
}

function sumTable({ subtotal, vat, vatRate, total }) {
  const sums = [
    ["Subtotal", subtotal],
    [`VAT ${text(vatRate)}`.trim(), vat],
    ["Total due", total, { style: "due", color: accent }],
  ];
  const isTotal = (row, { table }) => table.body[row]?.[0].style === "due";
  return sideTable(sums, {
    hLineWidth: (row, node) => (row > 0 && isTotal(row, node) ? 1 : 0),
    hLineColor: () => accent,
    paddingTop: (row, node) => (isTotal(row, node) ? 7 : 2),
    paddingBottom: (row, node) => (isTotal(row + 1, node) ? 5 : 2),
  });
}

function howToPay(payment) {
  if (payment.length === 0) return [];
  const body = payment.map((row) => [{ ...flowing(row.label), color: muted }, flowing(row.value)]);
  const layout = { ...plain, paddingRight: () => 14, paddingTop: () => 1, paddingBottom: () => 1 };
  return [label("HOW TO PAY"), { table: { widths: ["auto", "*"], body }, layout }];
}

/** Returns a table of names and figures at the right margin, without rows that have no value. */
function sideTable(rows, layout) {
  const body = rows
    .filter(([, value]) => text(value) !== "")
    .map(([name, value, strong]) => [
      { text: name, noWrap: true, color: muted, ...strong },
      { ...figure(value), ...strong },
    ]);
  const table = { table: { widths: ["auto", "*"], body }, layout: { ...plain, ...layout } };
  return { width: 232, ...(body.length > 0 ? table : { text: "" }) };
}

/** The layout of a table without lines and margins. */
const plain = {
  hLineWidth: () => 0,
  vLineWidth: () => 0,
  hLineColor: () => hairline,
  paddingLeft: () => 0,
  paddingRight: () => 0,
};

const lineLayout = {
  ...plain,
  hLineWidth: (row) => (row > 0 ? 0.5 : 0),
  paddingLeft: (column) => (column === 0 ? 0 : 8),
  paddingRight: (column) => (column === 3 ? 0 : 8),
  paddingTop: () => 5.5,
  paddingBottom: () => 3,
};

/** Returns the small heading of a block. */
function label(name) {
  return { text: name, style: "label", margin: [0, 0, 0, 3] };
}

/** Returns the width of a column of figures, which must be the same in the table of the last lines. */
function figureWidth(lines, name) {
  const longest = lines.reduce((length, line) => Math.max(length, text(line[name]).length), 0);
  return Math.min(Math.max(longest * 5.4, 52), 108);
}

/** Returns the maximum number of rows that some texts take, as if each letter were a W. */
function rowsOf(texts, columnWidth) {
  const perRow = columnWidth / (0.9 * fontSize);
  const lines = texts.flatMap((value) => value.split("\n"));
  return lines.reduce((rows, line) => rows + Math.ceil(line.length / perRow), 0);
}

/** Returns a text of any length, in which words that are wider than their column can break anywhere. */
function flowing(value) {
  const [first, ...others] = text(value).split(/(\S{22,})/);
  const rest = others.map((part, index) => (index % 2 === 0 ? { text: part, wordBreak: "break-all" } : part));
  return { text: rest.length === 0 ? first : [first, ...rest] };
}

/** Returns a figure that does not wrap, or a text that does. */
function figure(value) {
  const isFigure = text(value).length <= 20;
  return { ...(isFigure ? { text: text(value), noWrap: true } : flowing(value)), alignment: "right" };
}

function short(value, limit = 60) {
  return text(value).length > limit ? `${text(value).slice(0, limit - 1)}…` : text(value);
}

function joined(parts) {
  return parts.filter(Boolean).join("  ·  ");
}

function text(value) {
  return value === undefined || value === null ? "" : String(value);
}

/** Returns the lines of a list or of one text with line breaks. */
function list(value) {
  return (Array.isArray(value) ? value : text(value).split("\n")).map(text).filter(Boolean);
}
