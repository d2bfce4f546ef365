import { Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useField } from '../../components/editor/editor.tsx';
import { Section } from '../../components/layout.tsx';
import { RowsOf } from '../../components/rows.tsx';
import { useDefinition } from './use-definition.ts';
import { tokensOf, type Requirement } from './tool-labels.ts';

const PATH = 'requirements.httpSecurityOptions';
const TITLE = {
  title: 'Authentication',
  description: 'Tokens that the tool needs. Enter their values in each agent that uses it.',
};

const WAYS = [
  { value: 'headerApiKey', label: 'A header', detail: 'Header', example: 'X-Key' },
  { value: 'queryApiKey', label: 'A query parameter', detail: 'Parameter', example: 'key' },
  { value: 'httpAuth', label: 'Authorization', detail: 'Scheme', example: 'Bearer' },
] as const;
type Way = (typeof WAYS)[number]['value'];

/** A row of the form. While a name is typed, two names may be equal, which the record of the API cannot contain. */
interface Token {
  name: string;
  way: Way;
  detail: string;
}

export function AuthenticationSection() {
  const definition = useDefinition();
  if (!definition.http && !definition.mcp) return null;
  const tokens = tokensOf(definition);
  return (
    <Section {...TITLE}>
      {tokens ? (
        <Tokens initial={tokens} />
      ) : (
        <Text c="dimmed" fz="sm">
          It has alternatives, an OAuth client or a token of the call, which only the JSON view shows.
        </Text>
      )}
    </Section>
  );
}

function Tokens({ initial }: { initial: Readonly<Record<string, Requirement>> }) {
  const { set, error } = useField(PATH);
  const [tokens, setTokens] = useState(() => Object.entries(initial).map(tokenOf));
  const change = (changed: readonly Token[]): void => {
    setTokens([...changed]);
    const requirements = Object.fromEntries(changed.map((token) => [token.name, requirementOf(token)]));
    set(changed.length === 0 ? undefined : { options: [{ requirements }] });
  };
  return (
    <>
      <RowsOf<Token>
        items={tokens}
        onChange={change}
        what="token"
        added={{ name: 'key', way: 'httpAuth', detail: 'Bearer' }}
        row={(token, at) => (
          <TokenRow token={token} onChange={(changed) => change(tokens.with(at, changed))} />
        )}
      />
      {error !== undefined && (
        <Text c="var(--mantine-color-error)" fz="sm" mt="xs">
          {error}
        </Text>
      )}
    </>
  );
}

function TokenRow({ token, onChange }: { token: Token; onChange: (token: Token) => void }) {
  const way = WAYS.find(({ value }) => value === token.way) ?? WAYS[0];
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }}>
      <TextInput
        label="Token"
        description="Its name in agents."
        value={token.name}
        onChange={(event) => onChange({ ...token, name: event.currentTarget.value })}
        spellCheck={false}
      />
      <Select
        label="Sent in"
        data={WAYS.map(({ value, label }) => ({ value, label }))}
        value={token.way}
        onChange={(chosen) => {
          const next = WAYS.find(({ value }) => value === chosen);
          if (next) onChange({ ...token, way: next.value, detail: next.example });
        }}
        allowDeselect={false}
      />
      <TextInput
        label={way.detail}
        placeholder={way.example}
        value={token.detail}
        onChange={(event) => onChange({ ...token, detail: event.currentTarget.value })}
        spellCheck={false}
      />
    </SimpleGrid>
  );
}

function tokenOf([name, requirement]: [string, Requirement]): Token {
  const { headerApiKey, queryApiKey, httpAuth } = requirement;
  if (httpAuth) return { name, way: 'httpAuth', detail: httpAuth.scheme };
  if (queryApiKey) return { name, way: 'queryApiKey', detail: queryApiKey.name };
  return { name, way: 'headerApiKey', detail: headerApiKey?.name ?? '' };
}

function requirementOf({ way, detail }: Token): Requirement {
  return way === 'httpAuth' ? { httpAuth: { scheme: detail } } : { [way]: { name: detail } };
}
