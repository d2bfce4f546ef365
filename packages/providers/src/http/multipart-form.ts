import { randomUUID } from 'node:crypto';

export interface MultipartForm {
  contentType: string;
  body: readonly Uint8Array[];
}

/** A file in a form. The names must not contain quotes or line breaks; `bytes` are not copied. */
export interface FormFile {
  field: string;
  fileName: string;
  mimeType: string;
  bytes: readonly Uint8Array[];
}

/** A form of text fields and one file, as `multipart/form-data`. */
export function multipartForm(fields: readonly (readonly [string, string])[], file: FormFile): MultipartForm {
  const boundary = `calls-${randomUUID()}`;
  const part = (name: string): string => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"`;
  const head =
    fields.map(([name, value]) => `${part(name)}\r\n\r\n${value}\r\n`).join('') +
    `${part(file.field)}; filename="${file.fileName}"\r\ncontent-type: ${file.mimeType}\r\n\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: [Buffer.from(head), ...file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)],
  };
}
