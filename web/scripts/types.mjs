// The types of the API: OpenAPI comes in on stdin, src/api/schema.d.ts goes out on stdout.
import { text } from "node:stream/consumers";
import openapiTS, { astToString } from "openapi-typescript";

const schema = JSON.parse(await text(process.stdin));
// Every refusal has one shape, Problem; naming it again at each route would be most of the file.
for (const methods of Object.values(schema.paths)) {
  for (const operation of Object.values(methods)) {
    for (const status of Object.keys(operation.responses ?? {})) {
      if (!status.startsWith("2")) delete operation.responses[status];
    }
  }
}
// Answers may grow; a page still names only what it knows.
for (const shape of Object.values(schema.components.schemas)) {
  if (shape.properties) delete shape.additionalProperties;
}
const made = astToString(await openapiTS(schema));
process.stdout.write(`// Made from the server's OpenAPI by \`make types\`; do not edit.\n${made}`);
