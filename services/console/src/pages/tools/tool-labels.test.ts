import { describe, expect, it } from '@jest/globals';
import { kindOf, runnerText, tokenNames, tokensOf, withKind, type Definition } from './tool-labels.ts';

const HTTP: Definition = {
  description: 'Looks up an order.',
  http: { httpMethod: 'GET', baseUrlPattern: 'https://example.com/orders/{id}' },
  dynamicParameters: [{ name: 'id', location: 'PARAMETER_LOCATION_PATH', required: true }],
};

describe('tool runner', () => {
  it('is read from the definition', () => {
    expect(runnerText(HTTP)).toBe('GET https://example.com/orders/{id}');
    expect(runnerText({ client: {} })).toBe('Client');
    expect(runnerText({ mcp: { url: 'https://example.com/mcp' } })).toBe('https://example.com/mcp');
    expect(kindOf({ description: 'built in' })).toBeUndefined();
  });

  it('changes together with the parameter locations, which depend on it', () => {
    expect(withKind(HTTP, 'client')).toEqual({
      description: 'Looks up an order.',
      client: {},
      dynamicParameters: [{ name: 'id', required: true }],
    });
  });
});

describe('tokensOf', () => {
  const key = { headerApiKey: { name: 'X-Key' } };
  const user = { httpAuth: { scheme: 'Bearer' } };
  const withOptions = (...options: { requirements: Record<string, object> }[]): Definition => ({
    ...HTTP,
    requirements: { httpSecurityOptions: { options } },
  });

  it('returns the tokens of the only option', () => {
    expect(tokensOf(HTTP)).toEqual({});
    expect(tokensOf(withOptions({ requirements: { key, user } }))).toEqual({ key, user });
  });

  it('returns undefined when one is the secret of an OAuth client', () => {
    const oauth = withOptions({ requirements: { secret: { oauthClient: { clientId: 'calls' } } } });
    expect(tokensOf(oauth)).toBeUndefined();
    expect(tokenNames(oauth)).toEqual(['secret']);
  });

  it('returns undefined when there are alternatives', () => {
    const alternatives = withOptions({ requirements: { key } }, { requirements: { user } });
    expect(tokensOf(alternatives)).toBeUndefined();
    expect(tokenNames(alternatives)).toEqual(['key', 'user']);
  });
});
