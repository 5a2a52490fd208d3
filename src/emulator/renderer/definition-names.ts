// The names that pdfmake 0.3 reads in a document definition. It ignores all others.

const words = (text: string): readonly string[] => text.split(/\s+/);

/** The properties of which an element has one, which determines its kind. */
export const contentNames = words(
  "text stack columns ul ol table image svg canvas qr toc attachment section pageReference textReference",
);

/** The properties of which a part of a text has one. */
export const textNames = words("text pageReference textReference");

export const styleNames = words(
  `
  font fontSize fontFeatures lineHeight bold italics alignment characterSpacing color background markerColor decoration
  decorationStyle decorationColor decorationThickness noWrap wordBreak leadingIndent preserveLeadingSpaces
  preserveTrailingSpaces opacity sub sup link linkToDestination linkToPage margin marginLeft marginTop marginRight marginBottom
  fillColor fillOpacity columnGap extends verticalAlignment border borderColor`.trim(),
);

/** The properties of a document and of a section. */
const pageNames = words("header footer background pageSize pageOrientation pageMargins watermark");

export const elementNames = [
  ...contentNames,
  ...styleNames,
  ...pageNames,
  ...words(
    `
  style id width height minWidth maxWidth minHeight maxHeight fit cover absolutePosition relativePosition pageBreak headlineLevel
  tocItem tocStyle tocMargin tocNumberStyle outline outlineText outlineExpanded outlineParentId unbreakable layout type start
  reversed separator counter listType snakingColumns colSpan rowSpan overlayPattern overlayOpacity eccLevel foreground version mode
  mask options icon linkToFile`.trim(),
  ),
];

export const documentNames = [
  ...pageNames,
  ...words(
    `
  content styles defaultStyle images patterns attachments files info language version subset tagged displayTitle compress
  userPassword ownerPassword permissions maxPagesNumber pageBreakBefore`.trim(),
  ),
];

export const tableNames = words("body widths heights headerRows keepWithHeaderRows dontBreakRows");

export const shapeNames = words(
  `
  type x y w h r r1 r2 x1 y1 x2 y2 d points closePath color lineColor lineWidth dash lineCap lineJoin linearGradient fillOpacity
  strokeOpacity`.trim(),
);

export const tocNames = words(
  "title textStyle numberStyle textMargin sortBy sortLocale hideEmpty outlines id",
);

export const layoutTexts = words("noBorders headerLineOnly lightHorizontalLines");

/** The properties whose value is one of a few texts. */
export const choices: Readonly<Record<string, readonly string[]>> = {
  alignment: words("left right center justify"),
  decoration: words("underline lineThrough overline"),
  decorationStyle: words("dashed dotted double wavy solid"),
  pageBreak: words("before beforeOdd beforeEven after afterOdd afterEven"),
  pageOrientation: words("portrait landscape"),
  verticalAlignment: words("top middle bottom"),
};

/** The types of shapes, and what each needs. */
export const shapeTypes: Readonly<Record<string, readonly string[]>> = {
  rect: words("x y w h"),
  line: words("x1 y1 x2 y2"),
  polyline: ["points"],
  ellipse: words("x y r1"),
  path: ["d"],
};

/** The properties that are a number, if they are present. */
export const numberNames = words(
  `
  fontSize lineHeight characterSpacing opacity fillOpacity columnGap leadingIndent marginLeft marginTop marginRight marginBottom
  colSpan rowSpan`.trim(),
);

/** The names of page sizes. pdfmake ignores case. */
export const pageSizes = [
  "4A0 2A0",
  ...["A", "B", "C"].map((series) => Array.from({ length: 11 }, (_, size) => `${series}${size}`).join(" ")),
  "RA0 RA1 RA2 RA3 RA4 SRA0 SRA1 SRA2 SRA3 SRA4 EXECUTIVE FOLIO LEGAL LETTER TABLOID",
].flatMap(words);

export const allNames: ReadonlySet<string> = new Set([
  ...documentNames,
  ...elementNames,
  ...tableNames,
  ...shapeNames,
  ...tocNames,
]);
