import { Box, Group, Text, Title } from '@mantine/core';
import { ArrowLeftIcon } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './page.module.css';

/** The frame of every page: title (also of the document), actions and content. */
export function Page(props: {
  title: string;
  /** Replaces `title` in the page; `title` then only applies to the document. */
  heading?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Link to the list that contains this page. */
  back?: { to: string; label: string };
  /** Content beside the heading, such as a badge or an id. */
  aside?: ReactNode;
  children: ReactNode;
  /** Forms use the narrow width, and pages with several columns the wide one. */
  width?: 'full' | 'narrow' | 'wide';
}) {
  useDocumentTitle(props.title);
  const { back } = props;
  return (
    <Box className={classes.page} data-width={props.width ?? 'full'}>
      {back && (
        <Link to={back.to} className={classes.back}>
          <ArrowLeftIcon size={15} />
          {back.label}
        </Link>
      )}
      <header className={classes.header}>
        <div className={classes.heading}>
          <Group gap="sm" wrap="wrap">
            <Title order={1}>{props.heading ?? props.title}</Title>
            {props.aside}
          </Group>
          {props.description !== undefined && (
            <Text c="dimmed" mt={4} maw="65ch">
              {props.description}
            </Text>
          )}
        </div>
        {props.actions !== undefined && <Group gap="xs">{props.actions}</Group>}
      </header>
      {props.children}
    </Box>
  );
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Calls`;
  }, [title]);
}
