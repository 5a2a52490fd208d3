/**
 * An invoice. Every amount and date is text, formatted by the caller; every part may be missing.
 *
 * @typedef {{ name?: string, address?: string | string[], email?: string, phone?: string, vatNumber?: string }} Party
 * @typedef {{ description?: string, details?: string, quantity?: string, price?: string, amount?: string }} Line
 * @typedef {{
 *   number?: string, date?: string, due?: string, reference?: string,
 *   seller?: Party & { registration?: string }, customer?: Party,
 *   lines?: Line[],
 *   subtotal?: string, vat?: string, vatRate?: string, total?: string,
 *   payment?: { label: string, value: string }[], note?: string,
 * }} Invoice
 */

const ink = "#1b2733";
const muted = "#5d6b7a";
const accent = "#14496b";
const hairline = "#d5dce3";
const wash = "#f2f5f8";
const margin = 48;

/** @param {Invoice} values */
export default function invoice(values) {
  const seller = values.seller ?? {};
  const customer = values.customer ?? {};
  const lines = values.lines ?? [];
  const payment = values.payment ?? [];
  const title = ["Invoice", values.number].filter(Boolean).join(" ");

  return {
    pageSize: "A4",
    pageMargins: [margin, 48, margin, 68],
    language: "en-GB",
    info: { title, author: text(seller.name) },
    defaultStyle: { font: "Roboto", fontSize: 9.5, lineHeight: 1.18, color: ink },
    styles: {
      company: { fontSize: 17, bold: true, color: accent },
      title: { fontSize: 24, color: accent, alignment: "right", lineHeight: 1 },
      head: { fontSize: 8.5, bold: true, color: "#ffffff" },
      small: { fontSize: 8.5, color: muted },
      due: { fontSize: 12, bold: true, color: accent },
    },
    content: [
      letterhead(seller),
      rule(accent, 1.5, [0, 12, 0, 20]),
      addressAndFacts(customer, values),
      lineTable(lines),
      totals(values),
      closing(payment, text(values.note)),
    ],
    footer: (page, pages) => footer(page, pages, seller, title),
  };
}

function letterhead(seller) {
  const contact = [list(seller.address), [text(seller.email), text(seller.phone)]];
  return {
    columns: [
      {
        width: "*",
        stack: [
          { text: text(seller.name), style: "company" },
          ...contact.map((parts) => ({ text: joined(parts), style: "small" })),
        ],
      },
      { width: 110, text: "INVOICE", style: "title" },
    ],
    columnGap: 24,
  };
}

function addressAndFacts(customer, { number, date, due, reference, total }) {
  const facts = [
    ["Invoice number", number],
    ["Invoice date", date],
    ["Payment due", due],
    ["Your reference", reference],
    ["Amount due", total],
  ].filter(([, value]) => text(value) !== "");

  const billedTo = [
    { text: text(customer.name), bold: true, fontSize: 10.5 },
    ...list(customer.address).map((line) => ({ text: line })),
    { text: text(customer.email), color: muted },
    { text: customer.vatNumber ? `VAT no. ${customer.vatNumber}` : "", color: muted },
  ].filter((line) => line.text !== "");

  return {
    columns: [
      {
        width: "*",
        stack: billedTo.length === 0 ? [] : [{ text: "BILLED TO", ...label }, ...billedTo],
      },
      facts.length === 0
        ? { width: 0, text: "" }
        : {
            width: 230,
            table: {
              widths: ["auto", "*"],
              body: facts.map(([fact, value]) => [
                { text: fact, color: muted },
                { text: text(value), alignment: "right", bold: fact === "Amount due" },
              ]),
            },
            layout: {
              ...plain,
              fillColor: wash,
              paddingLeft: (column) => (column === 0 ? 10 : 4),
              paddingRight: (column) => (column === 1 ? 10 : 4),
              paddingTop: (row) => (row === 0 ? 8 : 2),
              paddingBottom: (row) => (row === facts.length - 1 ? 6 : 2),
            },
          },
    ],
    columnGap: 24,
    margin: [0, 0, 0, 24],
  };
}

function lineTable(lines) {
  const head = (name, alignment) => ({ text: name, style: "head", alignment });
  const right = (value) => ({ text: text(value), alignment: "right", noWrap: true });
  return {
    table: {
      headerRows: 1,
      keepWithHeaderRows: 1,
      dontBreakRows: true,
      widths: ["*", "auto", 78, 84],
      body: [
        [
          head("Description"),
          head("Quantity", "right"),
          head("Unit price", "right"),
          head("Amount", "right"),
        ],
        ...lines.map((line) => [
          line.details
            ? { stack: [text(line.description), { text: text(line.details), style: "small" }] }
            : { text: text(line.description) },
          right(line.quantity),
          right(line.price),
          right(line.amount),
        ]),
      ],
    },
    layout: {
      ...plain,
      fillColor: (row) => (row === 0 ? accent : null),
      hLineWidth: (row) => (row > 1 ? 0.6 : 0),
      hLineColor: () => hairline,
      paddingLeft: () => 8,
      paddingRight: () => 8,
      paddingTop: () => 5,
      paddingBottom: () => 3,
    },
  };
}

function totals({ subtotal, vat, vatRate, total }) {
  const rows = [
    ["Subtotal", subtotal],
    [vatRate ? `VAT ${vatRate}` : "VAT", vat],
    ["Total due", total],
  ].filter(([, value]) => text(value) !== "");
  if (rows.length === 0) return "";

  const isTotal = (row) => rows[row]?.[0] === "Total due";
  return {
    unbreakable: true,
    margin: [0, 10, 0, 0],
    columns: [
      { width: "*", text: "" },
      {
        width: 230,
        table: {
          widths: ["auto", "*"],
          body: rows.map(([name, value], row) => [
            { text: name, ...(isTotal(row) ? { style: "due" } : { color: muted }) },
            {
              text: text(value),
              alignment: "right",
              noWrap: true,
              ...(isTotal(row) ? { style: "due" } : {}),
            },
          ]),
        },
        layout: {
          ...plain,
          hLineWidth: (row) => (row > 0 && isTotal(row) ? 1.2 : 0),
          hLineColor: () => accent,
          paddingLeft: () => 8,
          paddingRight: () => 8,
          paddingTop: (row) => (isTotal(row) ? 7 : 3),
          paddingBottom: () => 3,
        },
      },
    ],
  };
}

function closing(payment, note) {
  const columns = [];
  if (payment.length > 0) {
    const body = payment.map((row) => [{ text: text(row.label), color: muted }, text(row.value)]);
    columns.push({
      width: "*",
      stack: [
        { text: "HOW TO PAY", ...label },
        {
          table: { widths: ["auto", "*"], body },
          layout: {
            ...plain,
            paddingLeft: () => 0,
            paddingRight: () => 12,
            paddingTop: () => 1,
            paddingBottom: () => 1,
          },
        },
      ],
    });
  }
  if (note !== "") columns.push({ width: "*", stack: [{ text: "NOTE", ...label }, { text: note }] });
  return columns.length === 0 ? "" : { unbreakable: true, margin: [0, 26, 0, 0], columns, columnGap: 24 };
}

function footer(page, pages, seller, title) {
  const legal = [text(seller.registration), seller.vatNumber ? `VAT no. ${seller.vatNumber}` : ""];
  return {
    margin: [margin, 14, margin, 0],
    stack: [
      rule(hairline, 0.6, [0, 0, 0, 6]),
      {
        columns: [
          { width: "*", text: joined([text(seller.name), ...legal]), style: "small" },
          {
            width: "auto",
            text: `${title}  ·  Page ${page} of ${pages}`,
            style: "small",
            alignment: "right",
          },
        ],
        columnGap: 24,
      },
    ],
  };
}

/** The small heading of a block. */
const label = { fontSize: 8, color: muted, margin: [0, 0, 0, 3] };

/** A table without lines. */
const plain = { hLineWidth: () => 0, vLineWidth: () => 0 };

function rule(lineColor, lineWidth, margins) {
  const width = 595.28 - 2 * margin;
  return {
    canvas: [{ type: "line", x1: 0, y1: 0, x2: width, y2: 0, lineWidth, lineColor }],
    margin: margins,
  };
}

function joined(parts) {
  return parts.filter(Boolean).join("  ·  ");
}

function text(value) {
  return value === undefined || value === null ? "" : String(value);
}

/** An address may come as lines, or as one text with line breaks. */
function list(value) {
  return (Array.isArray(value) ? value : text(value).split("\n")).map(text).filter(Boolean);
}
