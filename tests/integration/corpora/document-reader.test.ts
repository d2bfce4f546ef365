import { afterAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import type { DocumentMimeType } from '@calls/corpora/mime-types';
import { createDocumentReader } from '@calls/corpora/extraction/document-reader';
import type { ReadDocument } from '@calls/corpora/extraction/read-document';
import { silentLogger } from '@calls/foundation/logger';
import {
  makeDocx,
  makeOle,
  makePdf,
  makePdfBomb,
  makePdfWithPassword,
} from '../../support/corpora/make-documents.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const reader = createDocumentReader({ log: silentLogger });
const { signal } = new AbortController();
afterAll(async () => {
  await reader[Symbol.asyncDispose]();
});

function read(
  mimeType: DocumentMimeType,
  content: string | Uint8Array,
  from = reader,
): Promise<ReadDocument> {
  return from.read({ mimeType, charset: null, url: null, bytes: Buffer.from(content) }, signal);
}

describe('the document reader process', () => {
  it('reads title, headings and multi-line paragraphs of a PDF', async () => {
    const pdf = makePdf(
      [
        [
          { text: 'Opening hours', size: 20 },
          { text: 'The museum opens at ten in the morn-', size: 11 },
          { text: 'ing and closes at six in the evening.', size: 11 },
        ],
        [
          { text: 'Tickets', size: 20 },
          { text: 'Children under twelve need no ticket at all.', size: 11 },
        ],
      ],
      { title: 'UnauthenticatedConnections guide' },
    );
    const document = await read('application/pdf', pdf);
    expect(document).toMatchObject({
      title: 'UnauthenticatedConnections guide',
      publishedAt: new Date('2025-01-02'),
      textConfig: 'english',
    });
    expect(document.chunks.map(({ heading, content }) => [heading, content])).toEqual([
      ['Opening hours', 'The museum opens at ten in the morning and closes at six in the evening.'],
      ['Tickets', 'Children under twelve need no ticket at all.'],
    ]);
  });

  it('reads Word documents with their headings', async () => {
    const document = await read(DOCX, makeDocx(['# Returns', 'You may return a lamp within thirty days.']));
    expect(document).toMatchObject({
      title: 'Returns',
      chunks: [{ heading: 'Returns', content: 'You may return a lamp within thirty days.' }],
    });
  });

  it.each<[DocumentMimeType, string, string | Uint8Array, string]>([
    ['application/pdf', 'another file', 'no PDF', 'it is not a PDF file, or is damaged'],
    ['application/pdf', 'a password', makePdfWithPassword(), 'it has a password; remove the password'],
    [DOCX, 'another file', 'no archive', 'it is not a .docx file, or is damaged'],
    [DOCX, 'half the file', makeDocx(['Text.']).subarray(0, 900), 'it is not a .docx file, or is damaged'],
    [DOCX, 'a password', makeOle('EncryptedPackage'), 'it has a password; remove the password'],
    [DOCX, 'a .doc file', makeOle('WordDocument'), 'it is in an older format of Word; save it as .docx'],
    ['text/plain', 'only spaces', ' \n ', 'it has no text'],
  ])('says why it cannot read %s with %s', async (mimeType, _what, content, reason) => {
    await expect(read(mimeType, content)).rejects.toMatchObject({
      code: 'unreadable_document',
      retryable: false,
      message: `the document cannot be read: ${reason}`,
    });
  });

  it('reads long texts of many lines, and of a single line without spaces', async () => {
    // On a busy machine, the usual limit of time could end it first.
    await using patient = createDocumentReader({ log: silentLogger, limitMs: 600_000 });
    const lines = await read('text/plain', 'We open at nine. We close at six.\n'.repeat(280_000), patient);
    expect(lines.chunks).toHaveLength(10_000);
    const line = await read('text/plain', '我们店九点开门'.repeat(150_000), patient);
    expect(line.chunks.length).toBeGreaterThan(3000);
  });

  it('is killed at its memory limit, after which the next document is read', async () => {
    // On a busy machine, the usual limit of time could end it first.
    await using patient = createDocumentReader({ log: silentLogger, limitMs: 600_000 });
    await expect(read('application/pdf', makePdfBomb(), patient)).rejects.toMatchObject({
      code: 'unreadable_document',
      message: 'the document takes too much memory to read',
    });
    expect((await read('text/plain', 'Still here.', patient)).chunks).toHaveLength(1);
  });

  it('is killed at its time limit or on abort', async () => {
    await using hasty = createDocumentReader({ log: silentLogger, limitMs: 1 });
    const request = {
      mimeType: 'text/plain',
      charset: null,
      url: null,
      bytes: Buffer.from('x y '.repeat(500_000)),
    } as const;
    await expect(hasty.read(request, signal)).rejects.toMatchObject({
      code: 'unreadable_document',
      message: 'the document takes too long to read',
    });
    const unwanted = new AbortController();
    await using patient = createDocumentReader({ log: silentLogger });
    const reading = patient.read(request, unwanted.signal);
    unwanted.abort(new Error('stopped'));
    await expect(reading).rejects.toThrow('stopped');
  });

  it('has no environment variables and no write access', async () => {
    await read('text/plain', 'x y z');
    const readers = readdirSync('/proc').flatMap(readerProcess);
    expect(readers.length).toBeGreaterThan(0);
    for (const { command, environment } of readers) {
      const names = environment
        .split('\0')
        .map((line) => line.split('=', 1)[0]!)
        .filter((name) => name !== '');
      expect(command).toContain('--permission');
      expect(names.filter((name) => !/^(?:NODE_CHANNEL_|PWD$)/u.test(name))).toEqual([]);
    }
  });
});

/** The command and environment of a process if it is a reader of this process. Readers that were killed may be ending. */
function readerProcess(pid: string): { command: string; environment: string }[] {
  const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8');
  try {
    const [, parent = ''] = /\) \w (\d+) /u.exec(read('stat')) ?? [];
    const [command, environment] = [read('cmdline'), read('environ')];
    return Number(parent) === process.pid && command.includes('reader-main.')
      ? [{ command, environment }]
      : [];
  } catch {
    return [];
  }
}
