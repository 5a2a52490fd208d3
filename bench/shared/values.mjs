// @ts-check
/** The values of every request: three strings and an object, about the size of a letter. */
export const values = {
  date: "20 November 2026",
  total: "£1,000,000",
  customer: { name: "Ada Lovelace", city: "London" },
};
