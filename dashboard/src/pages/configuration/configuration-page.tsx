import type { ConfigReport } from '../../../../src/domain/report/result.js';
import { FilterField, useFilter } from '../../components/field/filter-field.js';
import { RepositoryField, useRepository } from '../../components/field/repository-field.js';
import { AnswerView } from '../../components/page/answer-view.js';
import { PageHead } from '../../components/page/page-head.js';
import type { Column } from '../../components/table/column.js';
import { DataTable } from '../../components/table/data-table.js';
import { countOf } from '../../components/text/amounts.js';
import { useAnswer } from '../../server/use-answer.js';

type Value = ConfigReport['values'][number];

export function ConfigurationPage() {
  const repository = useRepository();
  const answer = useAnswer({
    key: `configuration ${repository}`,
    load: (client, signal) => client.config({ repository, signal }),
  });
  return (
    <>
      <PageHead title="Configuration" note="The effective values, and where each comes from.">
        <RepositoryField />
      </PageHead>
      <AnswerView answer={answer}>{report => <Values report={report} />}</AnswerView>
    </>
  );
}

function Values({ report: { files, values } }: { readonly report: ConfigReport }) {
  const found = useFilter(values, ({ key, value, origin }) => `${key} ${JSON.stringify(value)} ${origin}`);
  return (
    <>
      <p className="minor file-list">
        {files.length === 0 ? 'No files: all values are defaults.' : `From ${files.join(', ')}`}
      </p>
      <FilterField label="Filter values" found={countOf(found.length, 'value')} />
      <DataTable
        caption="Configuration"
        rows={found}
        columns={COLUMNS}
        keyOf={({ key }) => key}
        sortedBy="key"
      />
    </>
  );
}

const COLUMNS: readonly Column<Value>[] = [
  { key: 'key', title: 'Key', cell: ({ key }) => <code>{key}</code>, sortBy: ({ key }) => key },
  { key: 'value', title: 'Value', cell: ({ value }) => <ValueText value={value} /> },
  {
    key: 'origin',
    title: 'Origin',
    needs: 'medium',
    cell: ({ origin }) => origin,
    sortBy: ({ origin }) => origin,
  },
];

function ValueText({ value }: { readonly value: unknown }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return <span title={text}>{text}</span>;
}
