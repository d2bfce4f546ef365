import { ActionIcon, Button, Card, Group, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { TrashIcon } from 'lucide-react';
import { useState } from 'react';
import { JsonInput } from '../../../components/editor/json-input.tsx';
import type { FormIssues } from '../../../components/form-issues.ts';
import { linesOf, toolsOf, withExpected, withLines, type Scenario } from './scenario.ts';

/** A scenario as a form, or as JSON. */
export function ScenarioCard(props: {
  scenario: Scenario;
  /** Path of the scenario in the request: `scenarios.0`. */
  path: string;
  issues: FormIssues;
  onChange: (scenario: Scenario) => void;
  onRemove: () => void;
}) {
  const { scenario, path, issues, onChange, onRemove } = props;
  const lines = linesOf(scenario);
  const tools = toolsOf(scenario);
  const isSimple = lines !== null && tools !== null;
  const [isJson, setJson] = useState(!isSimple);
  const { name, expect = {} } = scenario;
  return (
    <Card component="section" aria-label={`Scenario ${name}`} padding="md">
      <Stack gap="sm">
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label="Scenario"
            value={name}
            onChange={(event) => onChange({ ...scenario, name: event.currentTarget.value })}
            error={issues.at(`${path}.name`)}
            flex="1 1 10rem"
          />
          {isSimple && (
            <Button variant="default" flex="none" onClick={() => setJson(!isJson)}>
              {isJson ? 'Form' : 'JSON'}
            </Button>
          )}
          <ActionIcon size={36} aria-label={`Remove the scenario ${name}`} onClick={onRemove}>
            <TrashIcon size={17} />
          </ActionIcon>
        </Group>
        {isJson || !isSimple ? (
          <JsonInput
            aria-label={`Scenario ${name} as JSON`}
            value={scenario}
            onChange={(value) => onChange(value as Scenario)}
            error={issues.at(path)}
            minRows={6}
            maxRows={24}
          />
        ) : (
          <>
            <Textarea
              label="The caller says"
              description="One sentence per line. The agent responds to each line."
              autosize
              minRows={2}
              value={lines}
              onChange={(event) => onChange(withLines(scenario, event.currentTarget.value))}
              error={issues.at(`${path}.caller`)}
            />
            <TagsInput
              label="The agent says"
              description="Words, or /a regular expression/."
              value={expect.says ?? []}
              onChange={(says) => onChange(withExpected(scenario, 'says', says))}
              error={issues.at(`${path}.expect.says`)}
              acceptValueOnBlur
            />
            <TagsInput
              label="The agent never says"
              value={expect.neverSays ?? []}
              onChange={(neverSays) => onChange(withExpected(scenario, 'neverSays', neverSays))}
              error={issues.at(`${path}.expect.neverSays`)}
              acceptValueOnBlur
            />
            <TagsInput
              label="Tools that are called"
              value={tools}
              onChange={(names) =>
                onChange(
                  withExpected(
                    scenario,
                    'tools',
                    names.map((tool) => ({ name: tool })),
                  ),
                )
              }
              error={issues.at(`${path}.expect.tools`)}
              acceptValueOnBlur
            />
          </>
        )}
      </Stack>
    </Card>
  );
}
