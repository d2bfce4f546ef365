import { describe, expect, it } from '@jest/globals';
import { variablesOf } from './template.ts';

describe('variablesOf', () => {
  it('lists the variables of all forms once each, in order', () => {
    expect(variablesOf('{{b}} {{ a.c }} {{{b}}} {{&d}} {not} {{}} {{#if x}}')).toEqual(['b', 'a.c', 'd']);
  });
});
