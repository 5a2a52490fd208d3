/** The objects of a document, numbered from 1 in the order in which they come. Each character is one byte. */
export class PdfObjects {
  readonly texts: string[] = [];

  /** Adds one and gives its number. */
  add(text: string): number {
    this.texts.push(text);
    return this.texts.length;
  }

  addStream(content: string): number {
    return this.add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }

  /** Writes what was added before it could be known. */
  set(number: number, text: string): void {
    this.texts[number - 1] = text;
  }
}
