/**
 * For tests by the keyboard: now and then Firefox does not tell the driver that it has taken a key, which is no fault of the page.
 * Nothing else is tried again.
 */
export const unlessTheDriverHangs = {
  timeout: 120_000,
  retry: { count: 3, condition: /^input\.performActions timed out/ },
};

/** How long a browser may take to answer the driver, so that a test can be tried again. */
export const answersWithinMs = 20_000;
