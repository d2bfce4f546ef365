import { describe, expect, it } from '@jest/globals';
import { newId } from '@calls/foundation/ids';
import { contentOf, entryName, newestWriter, parseEntry, type Entry } from './unfinished-entries.ts';

const claim = (writer: number, at: number): Entry => ({ kind: 'claim', writer, at, id: newId() });
const data = (writer: number, at: number, bytes: number): Entry => ({ kind: 'data', writer, at, bytes });

describe('entries of an unfinished object', () => {
  it('have names that encode their fields and sort by writer and position', () => {
    const entries = [claim(0, 0), data(0, 0, 10), data(0, 10, 5), claim(1, 15), data(1, 15, 2)];
    const names = entries.map(entryName);
    expect(names.map(parseEntry)).toEqual(entries);
    expect(names.toSorted()).toEqual(names);
    expect(parseEntry('something-else')).toBeNull();
  });

  it('exclude what a replaced writer stored later', () => {
    const late = [data(0, 10, 4), data(0, 5, 20)];
    const entries = [claim(0, 0), data(0, 0, 5), data(0, 5, 5), claim(1, 10), data(1, 10, 7), ...late];
    expect(contentOf(entries)).toEqual([data(0, 0, 5), data(0, 5, 5), data(1, 10, 7)]);
    expect(newestWriter(entries)).toBe(1);
  });

  it('use a merged entry instead of its parts', () => {
    const merged = data(0, 5, 10);
    const entries = [claim(0, 0), data(0, 0, 5), data(0, 5, 5), data(0, 10, 5), merged, data(0, 15, 1)];
    expect(contentOf(entries)).toEqual([data(0, 0, 5), merged, data(0, 15, 1)]);
  });

  it('end before a gap', () => {
    expect(contentOf([claim(0, 0), data(0, 0, 5), data(0, 6, 5)])).toEqual([data(0, 0, 5)]);
    expect(newestWriter([data(0, 6, 5)])).toBe(-1);
  });
});
