import { describe, expect, it } from '@jest/globals';
import { variablesOf } from './template.ts';

describe('variables of a text', () => {
  it('are found once each, in all forms, in order', () => {
    expect(variablesOf('{{b}} {{ a.c }} {{{b}}} {{&d}} {not} {{}} {{#if x}}')).toEqual(['b', 'a.c', 'd']);
  });
});
