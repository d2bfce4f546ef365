import { Box, Group, Text, Title } from '@mantine/core';
import { ArrowLeftIcon } from 'lucide-react';
import { useEffect, type ReactNode } from 'react';
import { Link } from 'react-router';
import classes from './page.module.css';

/** What every page stands in: its title (the document's too), what can be done here, and its content. */
export function Page(props: {
  title: string;
  /** Shown instead of `title`, which then is the document's alone. */
  heading?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Where the page is one of many. */
  back?: { to: string; label: string };
  /** Beside the heading: a badge, an id. */
  aside?: ReactNode;
  children: ReactNode;
  /** Forms read better narrow. */
  width?: 'full' | 'narrow';
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
