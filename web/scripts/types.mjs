// Generates the API types: reads OpenAPI from stdin, writes src/api/schema.d.ts to stdout.
import { text } from "node:stream/consumers";
import openapiTS, { astToString } from "openapi-typescript";

const schema = JSON.parse(await text(process.stdin));
// Every error response is a Problem; repeating it for each route would be most of the file.
for (const methods of Object.values(schema.paths)) {
  for (const operation of Object.values(methods)) {
    for (const status of Object.keys(operation.responses ?? {})) {
      if (!status.startsWith("2")) delete operation.responses[status];
    }
  }
}
// Responses may get more fields; the page can use only those in the schema.
for (const shape of Object.values(schema.components.schemas)) {
  if (shape.properties) delete shape.additionalProperties;
}
const types = astToString(await openapiTS(schema));
process.stdout.write(`// Made from the server's OpenAPI by \`make types\`; do not edit.\n${types}`);
