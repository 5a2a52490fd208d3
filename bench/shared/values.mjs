// @ts-check
/** What every document is asked for with: three strings and an object, about as much as a letter takes. */
export const values = {
  date: "20 November 2026",
  total: "£1,000,000",
  customer: { name: "Ada Lovelace", city: "London" },
};
