import { describe, expect, it } from '@jest/globals';
import { compileValidator } from '@calls/foundation/schema/validator';
import type { TSchema } from 'typebox';
import { adminOperations } from './admin/admin.operations.ts';
import { operations } from './index.ts';

function problems(schema: TSchema | undefined, value: unknown): unknown[] {
  return schema ? compileValidator('example', schema).issues(value) : ['has no schema'];
}

describe.each([...operations, ...adminOperations].map((operation) => [operation.id, operation] as const))(
  'the example of %s',
  (_id, { example, query, body, response }) => {
    it('is complete and fits the schemas', () => {
      expect(example.body !== undefined).toBe(body !== undefined);
      expect(example.response !== undefined).toBe(response !== undefined);
      if (example.query) expect(problems(query, example.query)).toEqual([]);
      if (example.body !== undefined) expect(problems(body, example.body)).toEqual([]);
      if (example.response !== undefined) expect(problems(response, example.response)).toEqual([]);
    });
  },
);
