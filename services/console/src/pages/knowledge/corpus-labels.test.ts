import { describe, expect, it } from '@jest/globals';
import { documentTypeOf, sourceTitle, type Source } from './corpus-labels.ts';

const source = (fields: Partial<Source>): Source => ({
  corpusId: '1',
  sourceId: '2',
  created: '2026-01-01T00:00:00Z',
  stats: { status: 'SOURCE_STATUS_READY', numDocs: 1 },
  ...fields,
});

describe('sourceTitle', () => {
  it('returns the name, the first URL or the number of files', () => {
    const crawl = { startUrls: ['https://example.com/', 'https://example.com/help'] };
    expect(sourceTitle(source({ name: 'Help', crawl }))).toBe('Help');
    expect(sourceTitle(source({ name: '', crawl }))).toBe('https://example.com/');
    expect(sourceTitle(source({ loadSpec: crawl }))).toBe('https://example.com/');
    expect(sourceTitle(source({ upload: { documentIds: ['3'] } }))).toBe('1 file');
    expect(sourceTitle(source({ advanced: { documents: [{ documentId: '3' }, { documentId: '4' }] } }))).toBe(
      '2 files',
    );
  });
});

describe('documentTypeOf', () => {
  it('derives the type from the file extension, otherwise from the browser', () => {
    expect(documentTypeOf({ name: 'READ.ME.MD', type: '' })).toBe('text/markdown');
    expect(documentTypeOf({ name: 'a.csv', type: 'application/vnd.ms-excel' })).toBe('text/csv');
    expect(documentTypeOf({ name: 'a.png', type: 'image/png' })).toBe('image/png');
    expect(documentTypeOf({ name: 'notes', type: '' })).toBe('application/octet-stream');
  });
});
