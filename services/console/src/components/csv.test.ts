import { describe, expect, it } from '@jest/globals';
import { parseCsv, writeCsv } from './csv.ts';

describe('parseCsv', () => {
  it('accepts quotes, both kinds of line ends and a byte order mark', () => {
    expect(parseCsv('\uFEFFname, note \r\n"Bo ""B""","a, b\nc"\nAda,\n\n')).toEqual({
      columns: ['name', 'note'],
      rows: [
        ['Bo "B"', 'a, b\nc'],
        ['Ada', ''],
      ],
    });
  });

  it('detects the column separator', () => {
    expect(parseCsv('a;b\n1,5;2')).toEqual({ columns: ['a', 'b'], rows: [['1,5', '2']] });
    expect(parseCsv('a\tb\n1\t2').rows).toEqual([['1', '2']]);
    expect(parseCsv('phone\n+49301').rows).toEqual([['+49301']]);
    expect(parseCsv('a,b\n,').rows).toEqual([['', '']]);
  });

  it.each([
    ['', 'The file is empty.'],
    ['a,\n1,2', 'Column 2 has no name in the first line.'],
    ['a,a\n1,2', 'Two columns have the name a.'],
    ['a,b\n"x\ny",2\n3', 'Line 4 has 1 values, but there are 2 columns.'],
    ['a,b\n1,"2', 'Line 2 has a quote at the wrong place or none at the end.'],
  ])('rejects %j', (text, message) => {
    expect(() => parseCsv(text)).toThrow(message);
  });
});

describe('writeCsv', () => {
  it('quotes special characters and escapes formulas', () => {
    const columns = ['to', 'text'];
    const rows = [
      ['+49 (30) 1-2', 'a "b", c'],
      ['=1+1', '-x\ny'],
    ];
    expect(writeCsv({ columns, rows })).toBe('to,text\r\n+49 (30) 1-2,"a ""b"", c"\r\n\'=1+1,"\'-x\ny"\r\n');
  });
});
