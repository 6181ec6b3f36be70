import { apiPage } from './api-page.ts'
import { cliPage } from './cli-page.ts'
import { errorsPage } from './errors-page.ts'
import { eventsPage } from './events-page.ts'
import { examplesPage } from './examples-page.ts'
import { libraryPage } from './library-page.ts'
import { metricsPage } from './metrics-page.ts'
import { openApiDocument } from './openapi-document.ts'
import { verbsPage } from './verbs-page.ts'

/** Every page that is made from the code, by its file in `docs/`. */
export async function generatedPages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['api.md', apiPage(await openApiDocument())],
    ['cli.md', cliPage()],
    ['errors.md', errorsPage()],
    ['events.md', eventsPage()],
    ['examples.md', examplesPage()],
    ['library.md', libraryPage()],
    ['metrics.md', metricsPage()],
    ['verbs.md', verbsPage()],
  ])
}
