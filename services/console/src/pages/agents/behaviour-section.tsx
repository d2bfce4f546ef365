import { Badge, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dataOf, api } from '../../api/client.ts';
import { Section } from '../../components/layout.tsx';
import {
  ChoiceField,
  ListField,
  LongTextField,
  NumberField,
  TextField,
} from '../../components/editor/fields.tsx';
import { variablesOf } from './template.ts';
import { useTemplate } from './use-template.ts';

export function BehaviourSection({ children }: { children: ReactNode }) {
  const template = useTemplate();
  const models = useQuery({
    queryKey: ['models'],
    queryFn: () => dataOf(api.GET('/api/models', { params: { query: { pageSize: 100 } } })),
    staleTime: Infinity,
  });
  const choices = (models.data?.results ?? []).map(({ name, displayName }) => ({
    value: name,
    label: `${displayName} · ${name}`,
  }));
  const variables = variablesOf(template.systemPrompt ?? '');
  return (
    <Section title="Behaviour" description="Who the agent is, what it knows and how it responds.">
      <Stack>
        {children}
        <LongTextField
          path="systemPrompt"
          label="System prompt"
          minRows={8}
          placeholder="You are Ada, the receptionist of a hotel. Answer in one or two sentences…"
          description="{{name}} is filled in from the call’s templateContext."
        />
        {variables.length > 0 && (
          <Group gap={6}>
            <Text fz="xs" c="dimmed">
              Variables
            </Text>
            {variables.map((name) => (
              <Badge key={name} color="gray" tt="none" className="mono" c="inherit">
                {name}
              </Badge>
            ))}
          </Group>
        )}
        <SimpleGrid cols={{ base: 1, sm: 3 }}>
          <ChoiceField path="model" label="Model" choices={choices} placeholder="Default" searchable />
          <NumberField
            path="temperature"
            label="Temperature"
            min={0}
            max={1}
            step={0.1}
            placeholder="0"
            description="0 always selects the most likely response."
          />
          <TextField
            path="languageHint"
            label="Language"
            placeholder="en-GB"
            description="The language of the users."
          />
        </SimpleGrid>
        <ListField
          path="keyTerms"
          label="Key terms"
          maxTags={100}
          placeholder="{{guest.name}}, Grand Hotel"
          description="Names and words that users may say, the most important first. Some speech-to-text engines ignore them."
        />
      </Stack>
    </Section>
  );
}
