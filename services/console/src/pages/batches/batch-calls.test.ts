import { describe, expect, it } from '@jest/globals';
import { callsOf, guessedUse, lineText, type ColumnUse } from './batch-calls.ts';

const variables = [
  { path: 'guest.name', isRequired: true, isText: true },
  { path: 'nights', isRequired: false, isText: false },
];
const mediumOf = (to: string) => ({ telephony1: { outgoing: { to, from: '+4930' } } });

describe('guessedUse', () => {
  it('derives the use of a column from its name', () => {
    const uses = ['Guest.Name', 'nights', 'Phone number', 'to', 'Room'].map((name) =>
      guessedUse(name, variables),
    );
    expect(uses).toEqual(['context:guest.name', 'context:nights', 'to', 'to', '']);
  });
});

describe('callsOf', () => {
  it('takes numbers, variables and metadata from the rows', () => {
    const columns = ['name', 'nights', 'phone', 'room', 'comment'];
    const rows = [
      ['Bo', '3', ' +49301 ', '12', 'x'],
      ['Ada', '', '+49302', '', 'y'],
    ];
    const uses: Record<string, ColumnUse> = {
      name: 'context:guest.name',
      nights: 'context:nights',
      phone: 'to',
      room: 'metadata',
      comment: '',
    };
    expect(callsOf({ columns, rows }, uses, variables, mediumOf)).toEqual([
      {
        medium: mediumOf('+49301'),
        templateContext: { guest: { name: 'Bo' }, nights: 3 },
        metadata: { room: '12' },
      },
      { medium: mediumOf('+49302'), templateContext: { guest: { name: 'Ada' } }, metadata: { room: '' } },
    ]);
  });
});

describe('lineText', () => {
  it('names the row of an issue', () => {
    const message = 'is required';
    expect(lineText({ path: 'calls.2.templateContext.guest', message })).toBe(
      'Row 3, templateContext.guest: is required',
    );
    expect(lineText({ path: 'calls.0', message })).toBe('Row 1: is required');
    expect(lineText({ path: 'windowEnd', message })).toBeNull();
  });
});
