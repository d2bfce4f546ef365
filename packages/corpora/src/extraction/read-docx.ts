import type { ExtractedText } from './extracted-text.ts';
import { readHtml } from './read-html.ts';

/** The first bytes of a Word file before 2007, and of a .docx file with a password. */
const OLE_HEADER = 'd0cf11e0a1b11ae1';
/** Name of the stream that has the .docx file. */
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');

/** Detects headings by their styles; ignores images. */
export async function readDocx(bytes: Uint8Array): Promise<ExtractedText> {
  const buffer = Buffer.from(bytes);
  if (buffer.subarray(0, 8).toString('hex') === OLE_HEADER) {
    throw new Error(
      buffer.includes(ENCRYPTED_STREAM)
        ? 'it has a password; remove the password'
        : 'it is in an older format of Word; save it as .docx',
    );
  }
  // Loaded where it is needed: it is most of what a process of the reader would load at its start.
  const { default: mammoth } = await import('mammoth');
  const convertImage = mammoth.images.imgElement(() => Promise.resolve({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer }, { convertImage }).catch((cause: unknown) => {
    throw new Error('it is not a .docx file, or is damaged', { cause });
  });
  return readHtml(value, null);
}
