/** A decimal number: `digits` divided by ten to the power of `scale`. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

/** A number in a string, with at most 100 digits on each side of the point. */
const numeric = /^-?\d{1,100}(?:\.\d{1,100})?$/;

/**
 * Reads the digits that a user wrote, not the binary value, which is smaller than 1.005 for 1.005.
 *
 * @param value - a finite number, or a numeric string
 */
export function decimalOf(value: unknown): Decimal | undefined {
  if (typeof value === "string" ? !numeric.test(value) : !Number.isFinite(value)) return undefined;
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = BigInt(whole + fraction);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

export function add(one: Decimal, other: Decimal): Decimal {
  const scale = Math.max(one.scale, other.scale);
  return { digits: scaled(one, scale) + scaled(other, scale), scale };
}

export function areEqual(one: Decimal, other: Decimal): boolean {
  const scale = Math.max(one.scale, other.scale);
  return scaled(one, scale) === scaled(other, scale);
}

function scaled({ digits, scale }: Decimal, target: number): bigint {
  return scale === target ? digits : digits * 10n ** BigInt(target - scale);
}

/** Writes a number without an exponent, with all its decimal places. */
export function formatDecimal({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? "-" : "";
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, "0");
  const whole = text.slice(0, text.length - scale);
  return scale === 0 ? sign + whole : `${sign}${whole}.${text.slice(-scale)}`;
}
