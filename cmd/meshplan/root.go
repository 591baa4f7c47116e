package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// newRoot makes the tree of commands.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "meshplan",
		Short: "Plan how to spread one LLM training job over many GPUs",
		Long: `meshplan plans how to spread one LLM training job over many GPUs: the degrees
of tensor, context, pipeline, data and expert parallelism, where each is placed
on the network, and the options of a step. It answers with a proof and with
reasons.`,
		Example: `  meshplan plan --model llama-3.1-70b --cluster h100:256 --global-batch 1024 --seq 8192
  meshplan explain job.toml --plan 'tp=8,pp=4,dp=8,micro-batch=1'`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE:          group,
	}
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(planCommand(a), minGPUsCommand(a), paretoCommand(a), whyCommand(a), sensitivityCommand(a), explainCommand(a), validateCommand(a), calibrateCommand(a), modelsCommand(a), clustersCommand(a), versionCommand(a))
	root.AddCommand(exitCodesTopic())
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Args, c.RunE = cobra.ArbitraryArgs, group
	}
	onceOnly(root)
	return root
}

// group runs a command that only has subcommands: its help, or an error that
// names the nearest subcommand.
func group(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return c.Help()
	}
	return badUsage("unknown command %q of %s%s", clipped(args[0]), c.CommandPath(), suggestion(args[0], verbs(c)))
}

// verbs are the names of a command's visible subcommands.
func verbs(c *cobra.Command) []string {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

// helpCommand is `help`, which refuses topics that do not exist.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND or TOPIC]",
		Short: "Help about a command, or exit-codes",
		RunE: func(c *cobra.Command, args []string) error {
			topic, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return badUsage("no help on %q%s", clipped(strings.Join(args, " ")),
					suggestion(args[len(args)-1], append(verbs(c.Root()), "exit-codes")))
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
	}
}

// noArguments refuses arguments.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return badUsage("%s takes no argument, got %q", c.CommandPath(), clipped(args[0]))
	}
	return nil
}

// oneFile takes at most the name of a job file.
func oneFile(c *cobra.Command, args []string) error {
	if len(args) > 1 {
		return badUsage("%s takes one job file, got %q as well", c.CommandPath(), clipped(args[1]))
	}
	return nil
}

// oneName takes the name of a catalogue's entry.
func oneName(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return badUsage("%s wants a name; %s list gives them", c.CommandPath(), c.Parent().CommandPath())
	case len(args) > 1:
		return badUsage("%s takes one name, got %q as well", c.CommandPath(), clipped(args[1]))
	}
	return nil
}
