/** Returns a Markdown table. Columns of numbers are aligned to the right. */
export function markdownTable(head, rows) {
  const numbers = head.map((_, index) => rows.length > 0 && rows.every((cells) => isNumber(cells[index])));
  const lines = [head, numbers.map((right) => (right ? "--:" : "---")), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Prints the header of a table, and returns a function that prints a row. */
export function printTable(head, width = 32) {
  const print = ([title = "", ...cells]) => {
    const columns = cells.map((cell, index) =>
      String(cell).padStart(Math.max(10, head[index + 1]?.length ?? 0)),
    );
    console.log([String(title).padEnd(width), ...columns].join("  "));
  };
  print(head);
  return print;
}

/** Returns whether a cell contains only a number with its unit or bound. */
function isNumber(cell) {
  return /^(?:–|(?:[≤~] )?[\d.,]+(?: – [\d.,]+| µs)?)$/.test(cell ?? "");
}
