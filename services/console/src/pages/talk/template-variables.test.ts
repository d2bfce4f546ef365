import { describe, expect, it } from '@jest/globals';
import { templateContext, templateVariables } from './template-variables.ts';

const times = { created: '2026-01-01T00:00:00Z', updated: '2026-01-01T00:00:00Z' };

describe('template variables', () => {
  it('come from the texts of the agent, once each', () => {
    const template = {
      ...times,
      systemPrompt: 'You are {{name}} of {{ hotel.name }}. Say {{name}}.',
      timeExceededMessage: { text: 'Bye, {{guest}}' },
    };
    expect(templateVariables(template as never)).toEqual([
      { path: 'name', isRequired: true, isText: true },
      { path: 'hotel.name', isRequired: true, isText: true },
      { path: 'guest', isRequired: true, isText: true },
    ]);
    expect(templateVariables(null)).toEqual([]);
  });

  it('come from the schema of the agent when it has one', () => {
    const contextSchema = {
      type: 'object',
      required: ['hotel'],
      properties: {
        hotel: {
          type: 'object',
          required: ['name'],
          properties: { name: { type: 'string' }, stars: { type: 'integer' } },
        },
        vip: { type: 'boolean' },
      },
    };
    expect(templateVariables({ ...times, systemPrompt: '{{other}}', contextSchema })).toEqual([
      { path: 'hotel.name', isRequired: true, isText: true },
      { path: 'hotel.stars', isRequired: false, isText: false },
      { path: 'vip', isRequired: false, isText: false },
    ]);
  });

  it('form a nested context', () => {
    const variables = [
      { path: 'hotel.name', isRequired: true, isText: true },
      { path: 'hotel.stars', isRequired: false, isText: false },
      { path: 'vip', isRequired: false, isText: false },
      { path: 'guest', isRequired: false, isText: true },
    ];
    const values = { 'hotel.name': '5', 'hotel.stars': '4', vip: 'maybe', guest: '' };
    expect(templateContext(variables, values)).toEqual({ hotel: { name: '5', stars: 4 }, vip: 'maybe' });
  });
});
