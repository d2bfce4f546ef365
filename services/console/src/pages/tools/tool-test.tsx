import { Alert, Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type SyntheticEvent } from 'react';
import { SendIcon } from 'lucide-react';
import { fetchResponse } from '../../api/client.ts';
import { problemOf } from '../../api/api-problem.ts';
import { Changes } from '../../components/changes.tsx';
import { JsonView } from '../../components/copyable.tsx';
import { useFormIssues } from '../../components/form-issues.ts';
import { jsonOrText } from '../../components/json-text.ts';
import { Section } from '../../components/layout.tsx';
import { ErrorState } from '../../components/states.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { durationText } from '../../components/time-format.ts';
import { VariableFields, type Variable } from '../../components/variable-fields.tsx';
import { tokenNames, type Definition, type Tool } from './tool-labels.ts';
import classes from './tools.module.css';

/** Longer bodies are cut in the page. */
const MAX_SHOWN_CHARS = 50_000;
/** Set by the service on responses of the tool itself. */
const TOOL_STATUS = 'X-Svc-Tool-Status';

type Texts = Readonly<Record<string, string>>;

interface ToolResponse {
  status: number;
  contentType: string;
  body: string;
  tookMs: number;
}

/** Sends the request of the stored tool once, without a call. */
export function ToolTest({ tool, hasDraft }: { tool: Tool; hasDraft: boolean }) {
  const { toolId, definition } = tool;
  const [values, setValues] = useState<Texts>({});
  const [tokens, setTokens] = useState<Texts>({});
  const variables = variablesOf(definition);
  const test = useMutation({
    mutationFn: () =>
      send(toolId, { parameters: parametersOf(variables, values), authTokens: given(tokens) }),
  });
  const issues = useFormIssues(test.error);
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    test.mutate();
  };
  if (!definition.http && !definition.mcp) {
    return (
      <Section title="Test">
        <Text c="dimmed">
          Only HTTP tools and MCP servers can be tested here. Talk to an agent that has this tool: the page
          asks you for its result.
        </Text>
      </Section>
    );
  }
  const isShown = ['parameters', 'authTokens'].some((root) => issues.at(root) !== undefined);
  return (
    <Stack gap="lg">
      <Section
        title="Test"
        description={
          definition.mcp ? 'Lists the tools of the server.' : 'Sends the request once, without a call.'
        }
      >
        <form onSubmit={submit} noValidate>
          <Stack>
            {hasDraft && (
              <Alert color="yellow">The saved tool is tested. Save your changes to test them.</Alert>
            )}
            <VariableFields
              legend="Parameters"
              variables={variables}
              values={values}
              onChange={(path, value) => setValues({ ...values, [path]: value })}
              issues={issues}
              root="parameters"
            />
            {tokenNames(definition).map((name) => (
              <PasswordInput
                key={name}
                label={`Token ${name}`}
                value={tokens[name] ?? ''}
                onChange={(event) => setTokens({ ...tokens, [name]: event.currentTarget.value })}
                error={issues.at(`authTokens.${name}`)}
                autoComplete="off"
              />
            ))}
            {test.error && !isShown && <ErrorState error={test.error} />}
            <Group justify="flex-end">
              <Changes>
                <Button type="submit" leftSection={<SendIcon size={16} />} loading={test.isPending}>
                  Send the request
                </Button>
              </Changes>
            </Group>
          </Stack>
        </form>
      </Section>
      {test.data && <Response response={test.data} />}
    </Stack>
  );
}

function Response({ response: { status, contentType, body, tookMs } }: { response: ToolResponse }) {
  const value = /\bjson\b/u.test(contentType) ? jsonOrText(body) : body;
  const isCut = body.length > MAX_SHOWN_CHARS;
  return (
    <Section
      title="Response"
      actions={
        <Group gap="xs" fz="sm" c="dimmed">
          <span className="mono">{contentType}</span>
          <span className="numbers">{durationText(tookMs)}</span>
          <StatusBadge tone={status < 300 ? 'good' : 'bad'}>{status}</StatusBadge>
        </Group>
      }
    >
      <div aria-live="polite">
        {body === '' && <Text c="dimmed">The body is empty.</Text>}
        {body !== '' && typeof value !== 'string' && !isCut && <JsonView value={value} />}
        {body !== '' && (typeof value === 'string' || isCut) && (
          // The element scrolls, so the keyboard must be able to focus it.
          <pre className={classes.body} tabIndex={0} aria-label="Body">
            {body.slice(0, MAX_SHOWN_CHARS)}
          </pre>
        )}
        {isCut && (
          <Text c="dimmed" fz="sm" mt="xs">
            The first {MAX_SHOWN_CHARS.toLocaleString()} of {body.length.toLocaleString()} characters.
          </Text>
        )}
      </div>
    </Section>
  );
}

/** Parameters that a test must set. In a call, the model and the service set them. */
function variablesOf({ dynamicParameters = [], automaticParameters = [] }: Definition): Variable[] {
  return [
    ...dynamicParameters.map(({ name, schema = {}, required = false }) => ({
      path: name,
      isRequired: required,
      isText: schema.type === 'string' || schema.type === undefined,
      ...(typeof schema.description === 'string' && { description: schema.description }),
    })),
    ...automaticParameters.map(({ name }) => ({ path: name, isRequired: false, isText: false })),
  ];
}

function parametersOf(variables: readonly Variable[], values: Texts): Record<string, unknown> {
  return Object.fromEntries(
    variables.flatMap(({ path, isText }) => {
      const text = values[path] ?? '';
      return text === '' ? [] : [[path, isText ? text : jsonOrText(text)]];
    }),
  );
}

function given(texts: Texts): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

async function send(toolId: string, body: unknown): Promise<ToolResponse> {
  const startedMs = performance.now();
  const response = await fetchResponse(`/api/tools/${toolId}/test`, { method: 'POST', body });
  const status = response.headers.get(TOOL_STATUS);
  if (status === null) throw problemOf(response, await response.json().catch(() => undefined));
  return {
    status: Number(status),
    contentType: response.headers.get('Content-Type') ?? '',
    body: await response.text(),
    tookMs: performance.now() - startedMs,
  };
}
