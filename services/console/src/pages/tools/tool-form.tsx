import { Input, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMemo, type ReactNode } from 'react';
import {
  EditorForm,
  NameField,
  type Draft,
  type EditorTab,
  type SaveAction,
} from '../../components/editor/editor-form.tsx';
import { useEditor } from '../../components/editor/editor.tsx';
import { ChoiceField, LongTextField, TextField } from '../../components/editor/fields.tsx';
import { Section } from '../../components/layout.tsx';
import { AuthenticationSection } from './authentication-section.tsx';
import { BehaviourSection } from './behaviour-section.tsx';
import { FixedValuesSection } from './fixed-values-section.tsx';
import { ParametersSection } from './parameters-section.tsx';
import { useDefinition } from './use-definition.ts';
import classes from './tools.module.css';
import { KINDS, kindOf, withKind, type Definition } from './tool-labels.ts';

export type ToolDraft = Draft<Definition>;

const JSON_VIEW = {
  label: 'Definition',
  description: 'All fields of the definition, including those that the form does not show.',
};
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((value) => ({ value, label: value }));

/** The form of a tool. */
export function ToolForm(props: {
  initial: ToolDraft;
  save: SaveAction<Definition>;
  aside?: ReactNode;
  tabs?: readonly EditorTab[];
  newHint?: string;
}) {
  return (
    <EditorForm {...props} root="definition" json={JSON_VIEW}>
      <Stack gap="lg">
        <RunnerSection />
        <ParametersSection />
        <FixedValuesSection />
        <AuthenticationSection />
        <BehaviourSection />
      </Stack>
    </EditorForm>
  );
}

function RunnerSection() {
  const { replace } = useEditor();
  const definition = useDefinition();
  const kind = kindOf(definition);
  const meaning = KINDS.find(({ value }) => value === kind)?.meaning;
  const kinds = useMemo(() => KINDS.map(({ value, label }) => ({ value, label })), []);
  return (
    <Section title="Tool" description="What it does, and what runs it.">
      <Stack>
        <NameField maxLength={40} placeholder="orderStatus" description="Agents select it by this name." />
        <LongTextField
          path="description"
          label="Description"
          placeholder="Looks up the status of an order by its number."
          description="For the model: what the tool does, and when to use it."
        />
        <Input.Wrapper label="Run by" description={meaning}>
          <div>
            <SegmentedControl
              aria-label="Run by"
              data={kinds}
              {...(kind && { value: kind })}
              onChange={(chosen) => replace(withKind(definition, chosen))}
            />
          </div>
        </Input.Wrapper>
        {kind === 'mcp' && <TextField path="mcp.url" label="URL" placeholder="https://example.com/mcp" />}
        {kind === 'http' && (
          <>
            <div className={classes.request}>
              <ChoiceField path="http.httpMethod" label="Method" choices={METHODS} placeholder="GET" />
              <TextField
                path="http.baseUrlPattern"
                label="URL"
                placeholder="https://example.com/orders/{id}"
              />
            </div>
            <Text c="dimmed" fz="xs">
              A parameter in braces is put into the path.
            </Text>
          </>
        )}
      </Stack>
    </Section>
  );
}
