import { crc32, deflateSync } from 'node:zlib';

/** A PDF of pages with lines of text; sizes in points. */
export function makePdf(
  pages: readonly { text: string; size: number }[][],
  info: { title?: string } = {},
): Buffer {
  const objects: (string | Buffer)[] = [];
  const add = (body: string | Buffer): number => objects.push(body);
  const pagesId = 2;
  add(`<< /Type /Catalog /Pages ${pagesId} 0 R >>`);
  add('');
  const font = add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  const kids = pages.map((lines) => {
    let y = 800;
    const drawn = lines.map(({ text, size }) => {
      y -= size * 1.5;
      return `BT /F1 ${size} Tf 40 ${y} Td (${text.replace(/[\\()]/gu, '\\$&')}) Tj ET`;
    });
    const content = add(stream(deflateSync(drawn.join('\n')), '/FlateDecode'));
    return add(page(pagesId, font, content));
  });
  objects[pagesId - 1] =
    `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((id) => `${id} 0 R`).join(' ')}] >>`;
  const infoId = add(`<< /Title (${info.title ?? ''}) /CreationDate (D:20250102030405Z) >>`);
  return assemble(objects, { trailer: `/Info ${infoId} 0 R` });
}

/** Creates a small PDF with a single page that takes half a gigabyte when decompressed. */
export function makePdfBomb(): Buffer {
  const zeros = deflateSync(Buffer.alloc(512 * 1024 * 1024, ' '));
  return assemble([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Count 1 /Kids [4 0 R] >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    page(2, 3, 5),
    stream(deflateSync(zeros), '[/FlateDecode /FlateDecode]'),
  ]);
}

/** Creates a PDF that no password opens, because its encryption handler accepts none. */
export function makePdfWithPassword(): Buffer {
  const key = '00'.repeat(32);
  return assemble(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Count 0 /Kids [] >>',
      `<< /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -44 >>`,
    ],
    { trailer: `/Encrypt 3 0 R /ID [<${key}> <${key}>]` },
  );
}

/** Creates the start of a file of Office before 2007 that has a stream with this name. */
export function makeOle(streamName: string): Buffer {
  const header = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504)]);
  return Buffer.concat([header, Buffer.from(streamName, 'utf16le'), Buffer.alloc(512)]);
}

function page(pagesId: number, font: number, content: number): string {
  return `<< /Type /Page /Parent ${pagesId} 0 R /MediaBox [0 0 595 842] /Contents ${content} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> >>`;
}

function stream(bytes: Buffer, filter: string): Buffer {
  const head = `<< /Length ${bytes.byteLength} /Filter ${filter} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\nendstream')]);
}

function assemble(objects: readonly (string | Buffer)[], { trailer = '' } = {}): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.5\n')];
  const offsets: number[] = [];
  let length = parts[0]!.byteLength;
  const push = (part: Buffer): void => {
    parts.push(part);
    length += part.byteLength;
  };
  objects.forEach((body, i) => {
    offsets.push(length);
    push(Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), Buffer.from(body), Buffer.from('\nendobj\n')]));
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${length}\n%%EOF`,
    ),
  );
  return Buffer.concat(parts);
}

const W = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

/** A Word document. Lines that start with `# ` are headings. */
export function makeDocx(lines: readonly string[]): Buffer {
  const paragraphs = lines.map((line) => {
    const style = line.startsWith('# ') ? '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>' : '';
    return `<w:p>${style}<w:r><w:t xml:space="preserve">${line.replace(/^# /u, '')}</w:t></w:r></w:p>`;
  });
  const types = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
  return zip({
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${types}.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="${types}.styles+xml"/></Types>`,
    '_rels/.rels':
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/styles.xml': `<w:styles xmlns:w="${W}"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    'word/document.xml': `<w:document xmlns:w="${W}"><w:body>${paragraphs.join('')}</w:body></w:document>`,
  });
}

/** Creates an uncompressed ZIP archive. */
function zip(files: Record<string, string>): Buffer {
  const bodies: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(data.byteLength, 14);
    common.writeUInt32LE(data.byteLength, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), data]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 0]), common, place, Buffer.from(name)]),
    );
    bodies.push(local);
    offset += local.byteLength;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(central.byteLength, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, central, end]);
}
