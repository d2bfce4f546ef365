import { expect, it } from '@jest/globals';
import { described, Pattern } from '@calls/foundation/schema/annotations';
import { Closed, Nullable } from '@calls/foundation/schema/objects';
import { compileValidator } from '@calls/foundation/schema/validator';
import { Type } from 'typebox';
import { ComponentSchemas } from './component-schemas.ts';

const Pet = Closed({ name: Type.String({ description: 'What it is called.' }) }, 'Pet', 'An animal.');

it('ComponentSchemas describes a shared object once, and each property that refers to it separately', () => {
  const schemas = new ComponentSchemas();
  const owner = schemas.reference(
    Closed({
      cat: described(Pet, 'The pet that purrs.'),
      dog: described(Type.Optional(Pet), 'The pet that barks.'),
      bird: described(Nullable(Pet), 'The pet that sings.'),
      other: Pet,
    }),
  );
  const $ref = '#/components/schemas/Pet';
  expect(owner['properties']).toEqual({
    cat: { $ref, description: 'The pet that purrs.' },
    dog: { $ref, description: 'The pet that barks.' },
    bird: { anyOf: [{ $ref }, { type: 'null' }], description: 'The pet that sings.' },
    other: { $ref },
  });
  expect(owner['required']).toEqual(['cat', 'bird', 'other']);
  expect(schemas.all['Pet']).toMatchObject({ description: 'An animal.' });
});

it('a validator reports a text that does not match a pattern with the message of the pattern', () => {
  const Code = described(Pattern('^[A-Z]{3}$', 'must be three capital letters'), 'Code of the airport.');
  const flight = compileValidator('flight', Closed({ code: Code }));
  expect(flight.issues({ code: 'abc' })).toEqual([
    { path: 'code', message: 'must be three capital letters' },
  ]);
  expect(flight.issues({ code: 'ABC' })).toEqual([]);
  expect(new ComponentSchemas().inline(Code)).toEqual({
    type: 'string',
    pattern: '^[A-Z]{3}$',
    description: 'Code of the airport.',
  });
});
