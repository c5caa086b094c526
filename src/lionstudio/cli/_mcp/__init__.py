"""The MCP server of `li mcp`: its protocol and its tools."""
